// A page of explanations alone: what 'albeit explain' and 'albeit chains' write, and notebooks show.

function Views({ data }) {
  const [view, change] = useView();
  return html`${data.title && html`<header class="top"><h1>${data.title}</h1><${ThemeButton} view=${view} change=${change} /></header>`}
    <main><${Key} views=${data.views} />${data.views.map((each, n) => html`<section class="view" key=${n}>
      <h2>${[each.system, `${typeof each.place === "number" ? "segment" : "document"} ${each.place}`].filter(Boolean).join(", ")}</h2>
      <${View} view=${each} /></section>`)}</main>`;
}

start(Views, (data) => ({ ...data, views: data.views.map(asView) }));
