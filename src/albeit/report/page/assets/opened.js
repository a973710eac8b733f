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
        <${Differing} text=${report.system_texts[s][at]} other=${report.reference_texts[0]?.[at]} lang=${lang} />
        <p class="muted">${able.map((m) => `${m.name} ${shown(m.segment[s][at], m.decimals)}`).join(" · ")}</p></dd>`)}
    </dl>
    <${Explanations} report=${report} at=${at} view=${view} change=${change} />
  </article>`;
}

/** What each metric says of its own score, where the report holds it or a server can tell. */
function Explanations({ report, at, view, change }) {
  const held = report.explanations[at];
  const [asked, setAsked] = useState({ at: null });
  useEffect(() => {
    if (held || !report.explain_at) return undefined;
    const stop = new AbortController();
    fetch(`${report.explain_at}?segment=${at + 1}`, { signal: stop.signal })
      .then(async (answer) => ({ ok: answer.ok, body: await answer.json() }))
      .then(({ ok, body }) => setAsked(ok ? { at, found: body } : { at, error: body.error }))
      .catch((error) => stop.signal.aborted || setAsked({ at, error: error.message }));
    return () => stop.abort();
  }, [at]);
  const answer = asked.at === at ? asked : {};
  const found = held ?? answer.found;
  if (!found) return html`<p class="muted" role="status">${unexplained(report, answer.error)}</p>`;
  const names = Object.keys(found);
  if (names.length === 0) return html`<p class="muted">None of these metrics explains itself.</p>`;
  const metric = names.includes(view.why) ? view.why : names[0];
  const shownView = (s) => (held ? unfold(report, at, s, metric, held[metric][s]) : asView(found[metric][s]));
  return html`<h4>Why this score?</h4>
    <div class="choices" role="group" aria-label="metric">${names.map((name) => html`<button type="button"
      aria-pressed=${name === metric} onClick=${() => change({ why: name })}>${name}</button>`)}</div>
    <div class="views">${report.systems.map((name, s) => html`<section class="view" key=${`${metric} ${s} ${at}`}>
      <h5>${name}</h5><${View} view=${shownView(s)} /></section>`)}</div>`;
}

function unexplained(report, error) {
  if (error) return `No explanation: ${error}`;
  if (report.explain_at) return "Asking for the explanation …";
  return Object.keys(report.explanations).length
    ? "The report explains the segments on which systems differ most; this one is not among them."
    : "This report holds no explanations.";
}
