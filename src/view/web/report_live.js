// The report of a training that runs, from a server: leads back to the live page, and loads itself again when the log has
// grown.
{
  const model = new URLSearchParams(location.search).get("model");
  const address = model === null ? "./" : `./#${new URLSearchParams({ model })}`;
  $("title").before(make("nav", { class: "back" }, make("a", { href: address }, `← ${text.back}`)));

  const kept = "tide: the probe of the report";
  const parts = ["probes", "outputs"];
  const busy = () => document.hidden || parts.some((part) => $(part).contains(document.activeElement));
  const probe = sessionStorage.getItem(kept);
  if (probe !== null && probes.has(probe)) {
    $("probe").value = probe;
    $("probe").dispatchEvent(new Event("change"));
  }

  /** The browser keeps the scroll position and the address over a reload. */
  async function look() {
    const answer = await fetch(`training/log${location.search}`).catch(() => null); // the server may have stopped
    if (!answer?.ok || (await answer.json()).bytes === data.bytes || busy()) return;
    sessionStorage.setItem(kept, $("probe").value);
    location.reload();
  }

  setInterval(look, 3000);
}
