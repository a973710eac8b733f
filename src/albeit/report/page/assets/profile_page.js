// A profile on a page of its own: what 'albeit profile -f html' writes.

function ProfilePage({ data }) {
  const [view, change] = useView();
  return html`<header class="top"><h1>${data.title}</h1><${ThemeButton} view=${view} change=${change} /></header>
    <main><${ReadFirst} warnings=${data.warnings} /><${Profile} report=${data} view=${view} change=${change} everything />
    ${data.profile_notes.map((note) => html`<p class="muted">${note}</p>`)}</main>`;
}

start(ProfilePage);
