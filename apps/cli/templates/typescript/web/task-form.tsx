import type { PageContext } from "@appserver/sdk/page";
import { callBackend, PageLink, SendForm } from "@appserver/sdk/react";
import { maxDetails, maxTitle, type Task } from "../src/task.ts";

export function TaskForm({ page }: { readonly page: PageContext }) {
  const add = async ({ title, details }: Readonly<Record<string, string>>): Promise<void> => {
    const { id } = await callBackend<Task>(page, "POST", "/tasks", { title, details });
    page.notify("The task was added.", "success");
    page.navigate(`/${id}`, { replace: true });
  };
  const cancel = (
    <PageLink page={page} to="">
      Cancel
    </PageLink>
  );
  return (
    <div className="narrow stack">
      <h1>New task</h1>
      <SendForm send={add} submit="Add" cancel={cancel}>
        <label>
          Title
          <input name="title" required maxLength={maxTitle} />
        </label>
        <label>
          Details
          <textarea name="details" rows={5} maxLength={maxDetails} />
        </label>
      </SendForm>
    </div>
  );
}
