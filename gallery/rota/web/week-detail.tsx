import type { PageContext } from "@appserver/sdk/page";
import { callBackend, PageLink, Shown, useLoaded, WorkButton } from "@appserver/sdk/react";
import { planPermission, type Week } from "../src/rota.ts";
import { PersonForm } from "./person-form.tsx";
import { daysOf } from "./week-list.tsx";

export function WeekDetail({ page, monday }: { readonly page: PageContext; readonly monday: string }) {
  const path = `/weeks/${encodeURIComponent(monday)}`;
  const [loaded, reload] = useLoaded<Week>(page, path);
  const change = async (method: string, below: string, body?: object): Promise<void> => {
    await callBackend(page, method, path + below, body);
    reload();
  };
  return (
    <div className="narrow stack">
      <PageLink page={page} to="">
        All weeks
      </PageLink>
      <h1>{daysOf(page, monday)}</h1>
      <Shown loaded={loaded}>
        {({ onDuty, asked }) => {
          const isMine = (id: string | undefined): boolean => `user:${id}` === page.viewer.subject;
          return (
            <>
              <dl className="card">
                <dt>On duty</dt>
                <dd>{onDuty?.name ?? "Open"}</dd>
                {asked && <dt>Asked to take it</dt>}
                {asked && <dd>{asked.name}</dd>}
              </dl>
              {isMine(asked?.id) && (
                <div className="row">
                  <WorkButton page={page} className="primary" work={() => change("POST", "/answer", { accepts: true })}>
                    Take the week
                  </WorkButton>
                  <WorkButton page={page} work={() => change("POST", "/answer", { accepts: false })}>
                    Decline
                  </WorkButton>
                </div>
              )}
              {isMine(onDuty?.id) && asked && (
                <div className="row">
                  <WorkButton page={page} work={() => change("DELETE", "/question")}>
                    Take the question back
                  </WorkButton>
                </div>
              )}
              {isMine(onDuty?.id) && !asked && (
                <PersonForm
                  page={page}
                  title="Ask for a swap"
                  submit="Ask"
                  send={(userId) => change("PUT", "/question", { userId })}
                />
              )}
              {page.can(planPermission) && (
                <PersonForm
                  page={page}
                  title="Say who is on duty"
                  submit="Save"
                  send={(userId) => change("PUT", "", { userId })}
                />
              )}
            </>
          );
        }}
      </Shown>
    </div>
  );
}
