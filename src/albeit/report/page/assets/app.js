// The report itself: its parts as tabs.

const TABS = [
  ["summary", "Summary", Summary, () => true],
  ["profile", "Discourse profile", Profile, (r) => r.profile.length > 0],
  ["segments", "Segments", Segments, (r) => r.lines || r.metrics.some((m) => m.segment)],
  ["documents", "Documents", Documents, (r) => r.set.documents && (r.lines || r.metrics.some((m) => m.document))],
  ["buckets", "Buckets", Buckets, (r) => r.buckets.length > 0],
  ["metrics", "Metrics", Metrics, (r) => r.metrics.some((m) => m.segment)],
];

function App({ data: report }) {
  const [view, change] = useView();
  const tabs = TABS.filter(([, , , fits]) => fits(report));
  const [box, more, look] = useMore();
  const [current] = tabs.find(([key]) => key === view.tab) || tabs[0];
  const Part = tabs.find(([key]) => key === current)[2];
  useEffect(() => document.getElementById(`tab-${current}`).scrollIntoView({ block: "nearest", inline: "nearest" }), [current]);
  const go = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = tabs.findIndex(([key]) => key === current);
    const [next] = tabs[(at + step + tabs.length) % tabs.length];
    change({ tab: next }, true);
    document.getElementById(`tab-${next}`).focus();
  };
  return html`<header class="top"><h1 title=${report.title}>${report.title}</h1>
      <p class="muted">${report.date} · albeit ${report.albeit}${report.explain_at && html` · <a href="/">All runs</a>`}</p>
      <${ThemeButton} view=${view} change=${change} /></header>
    <nav class="tabs" aria-label="parts"><div role="tablist" aria-label="parts of the report" class=${more} ref=${box} onScroll=${look} onKeyDown=${go}>${tabs.map(([key, name]) => html`<button type="button"
      role="tab" id=${`tab-${key}`} aria-selected=${key === current} aria-controls="part" tabindex=${key === current ? 0 : -1}
      onClick=${() => change({ tab: key }, true)}><span class="long">${name}</span><span class="short">${name.split(" ").at(-1).replace(/^./, (c) => c.toUpperCase())}</span></button>`)}</div></nav>
    <main><div id="part" role="tabpanel" aria-labelledby=${`tab-${current}`}>
      <${Part} report=${report} view=${view} change=${change} /></div></main>`;
}

start(App, asReport);
