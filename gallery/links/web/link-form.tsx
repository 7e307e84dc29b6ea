import type { PageContext } from "@appserver/sdk/page";
import { callBackend, PageLink, SendForm, useLoaded } from "@appserver/sdk/react";
import { type Link, maxName, maxUrl } from "../src/link.ts";

export function LinkForm({ page }: { readonly page: PageContext }) {
  // The form works without the groups that there are.
  const [loaded] = useLoaded<{ readonly links: readonly Link[] }>(page, "/links");
  const groups = loaded && "value" in loaded ? [...new Set(loaded.value.links.map(({ group }) => group))] : [];
  const add = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    const { title } = await callBackend<Link>(page, "POST", "/links", fields);
    page.notify(`${title} was added.`, "success");
    page.navigate("", { replace: true });
  };
  const cancel = (
    <PageLink page={page} to="">
      Cancel
    </PageLink>
  );
  return (
    <div className="narrow stack">
      <h1>New link</h1>
      <SendForm send={add} submit="Add" cancel={cancel}>
        <label>
          Title
          <input name="title" required maxLength={maxName} />
        </label>
        <label>
          Address
          <input name="url" type="url" required maxLength={maxUrl} placeholder="https://" />
        </label>
        <label>
          Group
          <input name="group" required maxLength={maxName} list="groups" />
        </label>
        <datalist id="groups">
          {groups.map((group) => (
            <option key={group} value={group} />
          ))}
        </datalist>
      </SendForm>
    </div>
  );
}
