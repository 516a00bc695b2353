-- For wrk, by load-server: each request translates one line of the file that the variable LOAD_SOURCE names; the
-- variable LOAD_LANGS has source and target. A line SUMMARY goes to standard output: answers, errors, latencies. With the
-- variable LOAD_STATUSES, each thread must have one connection, which waits for a second after status 429, and there is a
-- line for each status: its number of answers and their latencies.
local bodies, next_body, threads = {}, 0, {}
local source, target = os.getenv("LOAD_LANGS"):match("(%S+) (%S+)")
local ffi = require("ffi")
ffi.cdef "typedef struct { long seconds, nanoseconds; } Moment; int clock_gettime(int clock, Moment *moment);"
local moment = ffi.new("Moment")
local asked, pause = 0, 0
latencies = {} -- global, so that done() can read it: status and milliseconds of each answer, in turn

local function escape(text)
    return (text:gsub("[^%w]", function(c) return string.format("%%%02X", c:byte()) end))
end

local function milliseconds()
    ffi.C.clock_gettime(1, moment)
    return tonumber(moment.seconds) * 1e3 + tonumber(moment.nanoseconds) / 1e6
end

function setup(thread) threads[#threads + 1] = thread end

function init()
    for line in io.lines(os.getenv("LOAD_SOURCE")) do
        bodies[#bodies + 1] = "q=" .. escape(line) .. "&source=" .. source .. "&target=" .. target
    end
    math.randomseed(1)
    next_body = math.random(#bodies) -- threads of wrk start at different lines
end

function request()
    next_body = next_body % #bodies + 1
    asked = milliseconds()
    return wrk.format("POST", "/translate", {["Content-Type"] = "application/x-www-form-urlencoded"}, bodies[next_body])
end

if os.getenv("LOAD_STATUSES") then
    function response(status)
        latencies[#latencies + 1], latencies[#latencies + 2] = status, milliseconds() - asked
        pause = status == 429 and 1000 or 0
    end

    function delay() return pause end
end

local function write_statuses()
    local of = {}
    for _, thread in ipairs(threads) do
        local answers = thread:get("latencies")
        for i = 1, #answers, 2 do
            of[answers[i]] = of[answers[i]] or {}
            table.insert(of[answers[i]], answers[i + 1])
        end
    end
    for status, list in pairs(of) do
        table.sort(list)
        io.write(string.format("STATUS %d %d %.2f %.2f\n", status, #list, list[math.ceil(#list / 2)],
            list[math.ceil(#list * 0.99)]))
    end
end

function done(summary, latency)
    io.write(string.format("SUMMARY %d %d %d %d %.2f %.2f\n", summary.requests, summary.errors.status,
        summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout, summary.duration,
        latency:percentile(50) / 1000, latency:percentile(99) / 1000))
    write_statuses()
end
