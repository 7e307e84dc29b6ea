import type { PageContext } from "@appserver/sdk/page";
import { PageLink, Shown, useLoaded } from "@appserver/sdk/react";
import { approvePermission, type Expense } from "../src/expense.ts";

export function ExpenseList({ page }: { readonly page: PageContext }) {
  const [loaded] = useLoaded<{ readonly expenses: readonly Expense[] }>(page, "/expenses");
  return (
    <>
      <header className="row spread">
        <h1>{page.can(approvePermission) ? "Expenses of all people" : "Your expenses"}</h1>
        <PageLink page={page} to="/new" className="button primary">
          New expense
        </PageLink>
      </header>
      <Shown loaded={loaded}>{({ expenses }) => <Expenses page={page} expenses={expenses} />}</Shown>
    </>
  );
}

function Expenses({ page, expenses }: { readonly page: PageContext; readonly expenses: readonly Expense[] }) {
  if (expenses.length === 0) return <p className="empty">There is no expense yet.</p>;
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            <th>Purpose</th>
            <th>Person</th>
            <th>Date</th>
            <th>Amount</th>
            <th>State</th>
          </tr>
        </thead>
        <tbody>
          {expenses.map((expense) => (
            <tr key={expense.id}>
              <td>
                <PageLink page={page} to={`/${expense.id}`}>
                  {expense.purpose}
                </PageLink>
              </td>
              <td>{expense.person}</td>
              <td>{dayOf(page, expense)}</td>
              <td>{amountOf(page, expense)}</td>
              <td>
                <State of={expense} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const states = {
  OPEN: ["active", "Open"],
  APPROVED: ["good", "Approved"],
  REFUSED: ["bad", "Refused"],
} as const;

export function State({ of: { state } }: { readonly of: Expense }) {
  const [tone, text] = states[state];
  return (
    <span className="badge" data-tone={tone}>
      {text}
    </span>
  );
}

export function dayOf({ locale }: PageContext, { spentOn }: Expense): string {
  return new Date(spentOn).toLocaleDateString(locale, { timeZone: "UTC", dateStyle: "medium" });
}

export function amountOf({ locale }: PageContext, { cents, currency }: Expense): string {
  return new Intl.NumberFormat(locale, { style: "currency", currency }).format(cents / 100);
}
