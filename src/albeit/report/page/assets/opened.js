// One segment in full: every text, every score, and why each metric scored it so.

/** `rows` is the order in which segments stand in the table: previous and next are its neighbors there. */
function Opened({ report, at, rows, first, view, change }) {
  const place = useRef(null);
  useEffect(() => place.current?.scrollIntoView({ block: "nearest" }), [at]);
  useEscape(() => change({ open: null }));
  const index = rows.indexOf(at);
  const neighbor = (step) => (index < 0 ? [at + step].find((n) => n >= 0 && n < report.set.segments) : rows[index + step]);
  const [before, after] = [neighbor(-1), neighbor(1)];
  const able = report.metrics.filter((m) => m.segment);
  const document = report.set.documents?.find((d) => d.start <= at && at < d.stop);
  const lang = report.set.target_lang;
  return html`<article class="opened card" ref=${place} aria-label=${`segment ${at + 1}`}>
    <header><h3>Segment ${at + 1}${document && html` <span class="muted">document${" "}
        <a href=${linked({ tab: "documents", doc: document.id })}>${document.id}</a></span>`}</h3>
      <div><button type="button" disabled=${before === undefined} onClick=${() => change({ open: before + 1 })}>Previous</button>
      <button type="button" disabled=${after === undefined} onClick=${() => change({ open: after + 1 })}>Next</button>
      <button type="button" onClick=${() => change({ open: null })}>Close</button></div></header>
    <dl class="texts">
      ${report.source && html`<dt>source</dt><dd lang=${report.set.source_lang} dir="auto">${report.source[at]}</dd>`}
      ${report.references.map((name, r) => html`<dt>reference ${name}</dt><dd lang=${lang} dir="auto" class=${r === 0 ? "stays" : ""}>${report.reference_texts[r][at]}</dd>`)}
      ${report.systems.map((name, s) => html`<dt>${name}</dt><dd lang=${lang} dir="auto">
        ${report.lines && html`<${Differing} text=${report.system_texts[s][at]} other=${report.reference_texts[0]?.[at]} lang=${lang} />`}
        <p class="muted">${able.map((m) => `${m.name} ${shown(m.segment[s][at], m.decimals)}`).join(" · ")}</p></dd>`)}
    </dl>
    ${report.lines && report.references.length > 0 && html`<p class="muted key"><mark class="own">Marked words</mark> differ from the reference${report.references.length > 1 ? ` ${report.references[0]}` : ""}; this isn't always an error.</p>`}
    ${report.lines && html`<${Explanations} report=${report} at=${at} first=${first} view=${view} change=${change} />`}
  </article>`;
}

/** What each metric says of its own score of a segment. */
function Explanations({ report, at, first, view, change }) {
  const order = [...new Set([...first, ...report.systems.map((_, s) => s)])]; // those that are compared come first
  return html`<${Why} report=${report} held=${report.explanations[at]} query=${`segment=${at + 1}`} only=${order}
    some=${Object.keys(report.explanations).length > 0} view=${view} change=${change} />`;
}
