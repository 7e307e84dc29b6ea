import type { MountPage, PageContext } from "@appserver/sdk/page";
import { StrictMode, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { TaskDetail } from "./task-detail.tsx";
import { TaskForm } from "./task-form.tsx";
import { TaskList } from "./task-list.tsx";

/** Shows the page in an element. Returns a function that removes it. The console calls it with the page contract. */
export const mount: MountPage = (element, page) => {
  const showTheme = (theme: string): void => {
    element.style.colorScheme = theme;
  };
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
};

/** The path of the page is the browser's address below /__ROUTE__, so that each view has an address of its own. */
function Page({ page }: { readonly page: PageContext }) {
  const [path, setPath] = useState(page.path);
  useEffect(() => page.onPathChange(setPath), [page]);
  return (
    <main className="app stack">
      {/* The look that the platform gives to pages of apps: it is for what is in an element of the class `app`. */}
      <link rel="stylesheet" href="/sdk/app.css" precedence="default" />
      <View page={page} path={path} />
    </main>
  );
}

function View({ page, path }: { readonly page: PageContext; readonly path: string }) {
  const [, first = ""] = /^\/([^/?#]*)/.exec(path) ?? [];
  if (first === "") return <TaskList page={page} />;
  if (first === "new") return <TaskForm page={page} />;
  return <TaskDetail key={first} page={page} id={first} />;
}
