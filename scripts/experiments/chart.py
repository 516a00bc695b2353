"""What the pictures of the experiments share: the frame, the axis of the values, and curves of two colours."""
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 800, 460, 60, 20, 24, 84
STYLE = """
.paper { fill: #ffffff } .ink { fill: #1a1a1a } .pale { fill: #5c5c5c } .grid { stroke: #d6d6d6 }
.line { fill: none; stroke-width: 2.5; stroke-linejoin: round }
.blue { stroke: #1f4e9c } .red { stroke: #b3400b } .blue.mark { fill: #1f4e9c } .red.mark { fill: #b3400b }
.mark.open { fill: #ffffff; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
.paper { fill: #15181d } .ink { fill: #ececec } .pale { fill: #a6adb8 } .grid { stroke: #3a404a }
.blue { stroke: #8ab4f8 } .red { stroke: #ffab70 } .blue.mark { fill: #8ab4f8 } .red.mark { fill: #ffab70 }
.mark.open { fill: #15181d }
}
"""


def at_x(part):
    """`part` of the width of the chart, 0 to 1."""
    return LEFT + (WIDTH - LEFT - RIGHT) * part


def at_y(value, most):
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / most


def text(x, y, what, look="ink", anchor="middle", more=""):
    return f'<text class="{look}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{what}</text>'


def curve(points, colour, open_marks=False):
    """A curve through points of the picture: blue with discs or red with squares; dashed if the marks are hollow."""
    dashes = ' stroke-dasharray="7 5"' if open_marks else ""
    yield f'<polyline class="line {colour}"{dashes} points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>'
    for x, y in points:
        shape = f'circle cx="{x:.1f}" cy="{y:.1f}" r="4.5"'
        if colour == "red":
            shape = f'rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8"'
        yield f'<{shape} class="mark {colour}{" open" if open_marks else ""}"/>'


def value_axis(title, most):
    """A line for every five, from 0 to `most`."""
    for value in range(0, most + 1, 5):
        y = at_y(value, most)
        yield f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>'
        yield text(LEFT - 10, y + 5, value, "pale", "end")
    middle = (HEIGHT - BOTTOM + TOP) / 2
    yield text(18, middle, title, more=f' transform="rotate(-90 18 {middle:.1f})"')


def most_of(values):
    """The end of an axis for these values: the next multiple of five."""
    return int(max(values, default=0) // 5 + 1) * 5


def picture(title, *parts):
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
           'role="img" font-family="system-ui,sans-serif" font-size="14">')
    yield f"<title>{title}</title>"
    yield f'<style>{STYLE}</style><rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>'
    for part in parts:
        yield from part
    yield "</svg>"
