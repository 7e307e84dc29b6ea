import type { PageContext } from "@appserver/sdk/page";
import type { Task } from "../src/task.ts";
import { call, useLoaded } from "./api.ts";
import { PageLink } from "./page-link.tsx";
import { TaskStatus } from "./task-list.tsx";

export function TaskDetail({ page, id }: { readonly page: PageContext; readonly id: string }) {
  const path = `/tasks/${encodeURIComponent(id)}`;
  const [loaded, show] = useLoaded<Task>(page, path);
  if (loaded === undefined) return <p role="status">Loading…</p>;
  if ("error" in loaded)
    return (
      <>
        <p role="alert">{loaded.error}</p>
        <PageLink page={page} to="">
          All tasks
        </PageLink>
      </>
    );
  const task = loaded.value;
  const attempt = (work: Promise<void>): void => {
    work.catch((error: Error) => page.notify(error.message, "error"));
  };
  const setDone = async (done: boolean): Promise<void> => show(await call<Task>(page, "PATCH", path, { done }));
  const remove = async (): Promise<void> => {
    await call(page, "DELETE", path);
    page.navigate("", { replace: true });
  };
  return (
    <div className="narrow stack">
      <PageLink page={page} to="">
        All tasks
      </PageLink>
      <header className="row spread">
        <h1>{task.title}</h1>
        <TaskStatus task={task} />
      </header>
      <div className="card stack">
        {task.details !== "" && <p>{task.details}</p>}
        <p className="small dim">
          Added by {task.createdBy} on {new Date(task.createdAt).toLocaleString(page.locale)}
        </p>
      </div>
      <div className="row">
        <button type="button" className="primary" onClick={() => attempt(setDone(task.doneAt === undefined))}>
          {task.doneAt === undefined ? "Done" : "Open again"}
        </button>
        <button type="button" className="danger" onClick={() => attempt(remove())}>
          Delete
        </button>
      </div>
    </div>
  );
}
