import { mountView, type ViewProps } from "@appserver/sdk/react";
import { TaskDetail } from "./task-detail.tsx";
import { TaskForm } from "./task-form.tsx";
import { TaskList } from "./task-list.tsx";

/** The console calls it with an element and the page contract. It shows the view with the look that the platform gives to pages of apps. */
export const mount = mountView(View);

/** The path of the page is the browser's address below /__ROUTE__, so that each view has an address of its own. */
function View({ page, segments: [first] }: ViewProps) {
  if (first === undefined) return <TaskList page={page} />;
  if (first === "new") return <TaskForm page={page} />;
  return <TaskDetail key={first} page={page} id={first} />;
}
