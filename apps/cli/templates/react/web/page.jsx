import { StrictMode, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";

/** Shows the page in an element. Returns a function that removes it. The console calls it with the page contract. */
export function mount(element, page) {
  const showTheme = (theme) => (element.style.colorScheme = theme);
  showTheme(page.theme);
  const unwatch = page.onThemeChange(showTheme);
  const root = createRoot(element);
  root.render(
    <StrictMode>
      <Page page={page} />
    </StrictMode>,
  );
  return () => {
    unwatch();
    root.unmount();
  };
}

/** Asks the backend of the app, as the user. */
function Page({ page }) {
  const [answer, setAnswer] = useState("Loading…");
  useEffect(() => {
    const abort = new AbortController();
    page
      .fetch(`/hello/${encodeURIComponent(page.viewer.displayName)}`, { signal: abort.signal })
      .then(async (response) => {
        const { hello, error } = await response.json();
        setAnswer(response.ok ? `Hello, ${hello}.` : error);
      })
      .catch((error) => abort.signal.aborted || setAnswer(String(error)));
    return () => abort.abort();
  }, [page]);
  return (
    <div className="app">
      {/* The look that the platform gives to pages of apps: it is for what is in an element of the class `app`. */}
      <link rel="stylesheet" href="/sdk/app.css" precedence="default" />
      <h1>__TITLE__</h1>
      <p role="status">{answer}</p>
    </div>
  );
}
