import type { PageContext } from "@appserver/sdk/page";
import { callBackend, PageLink, Shown, useLoaded, WorkButton } from "@appserver/sdk/react";
import type { Task } from "../src/task.ts";
import { TaskStatus } from "./task-list.tsx";

export function TaskDetail({ page, id }: { readonly page: PageContext; readonly id: string }) {
  const path = `/tasks/${encodeURIComponent(id)}`;
  const [loaded, reload] = useLoaded<Task>(page, path);
  const setDone = async (done: boolean): Promise<void> => {
    await callBackend(page, "PATCH", path, { done });
    reload();
  };
  const remove = async (): Promise<void> => {
    await callBackend(page, "DELETE", path);
    page.navigate("", { replace: true });
  };
  return (
    <div className="narrow stack">
      <PageLink page={page} to="">
        All tasks
      </PageLink>
      <Shown loaded={loaded}>
        {(task) => (
          <>
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
              <WorkButton page={page} className="primary" work={() => setDone(task.doneAt === undefined)}>
                {task.doneAt === undefined ? "Done" : "Open again"}
              </WorkButton>
              <WorkButton page={page} className="danger" work={remove}>
                Delete
              </WorkButton>
            </div>
          </>
        )}
      </Shown>
    </div>
  );
}
