import type { PageContext } from "@appserver/sdk/page";
import { callBackend, PageLink, SendForm } from "@appserver/sdk/react";
import { currencies, type Expense, maxCents, maxPurpose } from "../src/expense.ts";

export function ExpenseForm({ page }: { readonly page: PageContext }) {
  const today = new Date().toLocaleDateString("sv");
  const add = async ({ amount, ...fields }: Readonly<Record<string, string>>): Promise<void> => {
    const cents = Math.round(Number(amount) * 100);
    const { id } = await callBackend<Expense>(page, "POST", "/expenses", { ...fields, cents });
    page.notify("The expense was entered.", "success");
    page.navigate(`/${id}`, { replace: true });
  };
  const cancel = (
    <PageLink page={page} to="">
      Cancel
    </PageLink>
  );
  return (
    <div className="narrow stack">
      <h1>New expense</h1>
      <SendForm send={add} submit="Enter" cancel={cancel}>
        <label>
          Purpose
          <input name="purpose" required maxLength={maxPurpose} />
        </label>
        <div className="grid">
          <label>
            Amount
            <input name="amount" type="number" required min="0.01" max={maxCents / 100} step="0.01" inputMode="decimal" />
          </label>
          <label>
            Currency
            <select name="currency">
              {currencies.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </label>
        </div>
        <label>
          Spent on
          <input name="spentOn" type="date" required defaultValue={today} max={today} />
        </label>
      </SendForm>
    </div>
  );
}
