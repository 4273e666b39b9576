// A run that goes on: everylink/cli/live.py sends what was measured so far. Nothing of it is a verdict.

function fillLive({ headline, tested, failures, failed, slower }) {
  $("headline").textContent = headline;
  $("headline").className = failed ? "alarm" : "";
  $("tested").textContent = tested.join("\n");
  $("failures").textContent = failures.length ? [`${failed} links failed; the last ones:`, ...failures].join("\n  ") : "";
  $("warnings").textContent = slower.length ? `Slower so far, not a verdict: ${slower.join(", ")}` : "";
}

async function takePlanes({ bytes, deviation }) {
  const size = state.run.sizes.find((one) => one.bytes === bytes);
  if (!size) return;
  Object.assign(size, { deviation, loaded: undefined });
  if (size !== state.size) return;
  const loaded = await load(size);
  if (size !== state.size) return;
  state.levels = levelsOf(loaded);
  state.cell = null;
  draw();
}

if (data.live) ready.then(() => {
  state.run.reference = "the median so far";
  chooseView(state.view);
  $("spread").textContent = "";
  for (const part of document.querySelectorAll(".judged")) part.hidden = true;
  const events = new EventSource("events");
  events.addEventListener("said", ({ data: text }) => {
    const said = JSON.parse(text);
    if (said.file === state.run.name) fillLive(said); else location.reload(); // the command has begun another results file
  });
  for (const { bytes } of state.run.sizes) events.addEventListener(`size-${bytes}`, ({ data: text }) => takePlanes(JSON.parse(text)));
  events.addEventListener("end", ({ data: text }) => {
    events.close();
    const { headline, alarm, lines } = JSON.parse(text);
    $("headline").textContent = headline;
    $("headline").className = alarm ? "alarm" : "fine";
    $("warnings").textContent = "";
    $("tested").textContent = lines.join("\n");
  });
});
