-- For wrk, by scripts/load-server: each request translates one line of the file that the variable LOAD_SOURCE names; the
-- variable LOAD_LANGS has source and target. A line SUMMARY goes to standard output: answers, errors, latencies.
local bodies, next_body = {}, 0
local source, target = os.getenv("LOAD_LANGS"):match("(%S+) (%S+)")

local function escape(text)
    return (text:gsub("[^%w]", function(c) return string.format("%%%02X", c:byte()) end))
end

function init()
    for line in io.lines(os.getenv("LOAD_SOURCE")) do
        bodies[#bodies + 1] = "q=" .. escape(line) .. "&source=" .. source .. "&target=" .. target
    end
    math.randomseed(1)
    next_body = math.random(#bodies) -- threads of wrk start at different lines
end

function request()
    next_body = next_body % #bodies + 1
    return wrk.format("POST", "/translate", {["Content-Type"] = "application/x-www-form-urlencoded"}, bodies[next_body])
end

function done(summary, latency)
    io.write(string.format("SUMMARY %d %d %d %d %.2f %.2f\n", summary.requests, summary.errors.status,
        summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout, summary.duration,
        latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
