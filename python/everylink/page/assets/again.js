// What the links of a finding took when --confirm measured them again, and what its hosts say of themselves.

const AGAIN = ["how", "readings", "failed", "median", "others", "x others"];

function fillAgain(box, known) { // nothing is known of changes between two runs
  box.replaceChildren();
  if (known?.again.length) {
    element("h3", `Measured again, at ${state.size.label}`, box);
    const frame = element("div", "", box), table = element("table", "", frame);
    Object.assign(frame, { className: "scrolled", tabIndex: 0, role: "group", ariaLabel: "measured again" });
    const fill = (cells, tag, part) => { const line = element("tr", "", part); for (const cell of cells) element(tag, cell, line); };
    fill(AGAIN, "th", element("thead", "", table));
    const body = element("tbody", "", table);
    for (const cells of known.again) fill(cells, "td", body);
  }
  for (const [title, lines] of [["Also deviates there", known?.deviations], ["Its hosts", known?.hosts]]) {
    if (!lines?.length) continue;
    element("h3", title, box);
    for (const line of lines) element("p", line, box);
  }
}
