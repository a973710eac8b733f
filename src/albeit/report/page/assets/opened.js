// One segment in full: every text, every score, and why each metric scored it so.

function Opened({ report, at, view, change }) {
  const place = useRef(null);
  useEffect(() => place.current?.scrollIntoView({ block: "nearest" }), [at]);
  const able = report.metrics.filter((m) => m.segment);
  const document = report.set.documents?.find((d) => d.start <= at && at < d.stop);
  const lang = report.set.target_lang;
  return html`<article class="opened card" ref=${place} aria-label=${`segment ${at + 1}`}>
    <header><h3>Segment ${at + 1}${document && html` <span class="muted">document${" "}
        <a href=${`#tab=documents&doc=${encodeURIComponent(document.id)}`}>${document.id}</a></span>`}</h3>
      <div><button type="button" disabled=${at === 0} onClick=${() => change({ open: at })}>Previous</button>
      <button type="button" disabled=${at + 1 >= report.set.segments} onClick=${() => change({ open: at + 2 })}>Next</button>
      <button type="button" onClick=${() => change({ open: null })}>Close</button></div></header>
    <dl class="texts">
      ${report.source && html`<dt>source</dt><dd lang=${report.set.source_lang} dir="auto">${report.source[at]}</dd>`}
      ${report.references.map((name, r) => html`<dt>reference ${name}</dt><dd lang=${lang} dir="auto">${report.reference_texts[r][at]}</dd>`)}
      ${report.systems.map((name, s) => html`<dt>${name}</dt><dd lang=${lang} dir="auto">
        ${report.lines && html`<${Differing} text=${report.system_texts[s][at]} other=${report.reference_texts[0]?.[at]} lang=${lang} />`}
        <p class="muted">${able.map((m) => `${m.name} ${shown(m.segment[s][at], m.decimals)}`).join(" · ")}</p></dd>`)}
    </dl>
    ${report.lines && html`<${Explanations} report=${report} at=${at} view=${view} change=${change} />`}
  </article>`;
}

/** What each metric says of its own score of a segment. */
function Explanations({ report, at, view, change }) {
  return html`<${Why} report=${report} held=${report.explanations[at]} query=${`segment=${at + 1}`} lines=${(text) => text[at]} level="segment" at=${at}
    some=${Object.keys(report.explanations).length > 0} view=${view} change=${change} />`;
}
