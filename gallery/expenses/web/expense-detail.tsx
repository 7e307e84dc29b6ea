import type { PageContext } from "@appserver/sdk/page";
import { callBackend, PageLink, SendForm, Shown, useLoaded, WorkButton } from "@appserver/sdk/react";
import { approvePermission, type Expense, maxReason } from "../src/expense.ts";
import { amountOf, dayOf, State } from "./expense-list.tsx";

export function ExpenseDetail({ page, id }: { readonly page: PageContext; readonly id: string }) {
  const path = `/expenses/${encodeURIComponent(id)}`;
  const [loaded, reload] = useLoaded<Expense>(page, path);
  const decide = async (body: object): Promise<void> => {
    await callBackend(page, "POST", `${path}/decision`, body);
    reload();
  };
  const remove = async (): Promise<void> => {
    await callBackend(page, "DELETE", path);
    page.navigate("", { replace: true });
  };
  return (
    <div className="narrow stack">
      <PageLink page={page} to="">
        All expenses
      </PageLink>
      <Shown loaded={loaded}>
        {(expense) => {
          const isMine = `user:${expense.userId}` === page.viewer.subject;
          const isOpen = expense.state === "OPEN";
          return (
            <>
              <header className="row spread">
                <h1>{expense.purpose}</h1>
                <State of={expense} />
              </header>
              <Facts page={page} expense={expense} />
              {isOpen && isMine && (
                <div className="row spread">
                  <span className="dim">Another person decides on it.</span>
                  <WorkButton page={page} className="danger" work={remove}>
                    Remove
                  </WorkButton>
                </div>
              )}
              {isOpen && !isMine && page.can(approvePermission) && (
                <>
                  <div className="row">
                    <WorkButton page={page} className="primary" work={() => decide({ approved: true })}>
                      Approve
                    </WorkButton>
                  </div>
                  <details>
                    <summary>Refuse</summary>
                    <SendForm submit="Refuse" send={({ reason }) => decide({ approved: false, reason })}>
                      <label>
                        Reason
                        <textarea name="reason" rows={2} required maxLength={maxReason} />
                      </label>
                    </SendForm>
                  </details>
                </>
              )}
            </>
          );
        }}
      </Shown>
    </div>
  );
}

function Facts({ page, expense }: { readonly page: PageContext; readonly expense: Expense }) {
  return (
    <dl className="card">
      <dt>Amount</dt>
      <dd>{amountOf(page, expense)}</dd>
      <dt>Spent by</dt>
      <dd>
        {expense.person}, {dayOf(page, expense)}
      </dd>
      {expense.decidedAt !== undefined && (
        <>
          <dt>Decided by</dt>
          <dd>
            {expense.decidedBy},{" "}
            {new Date(expense.decidedAt).toLocaleString(page.locale, { dateStyle: "medium", timeStyle: "short" })}
          </dd>
        </>
      )}
      {expense.reason !== undefined && (
        <>
          <dt>Reason</dt>
          <dd>{expense.reason}</dd>
        </>
      )}
    </dl>
  );
}
