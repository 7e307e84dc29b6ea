import { type AppCall, type AppHandler, HttpError, type People } from "@appserver/sdk";
import { approvePermission, currencies, type Expense, maxCents, maxPurpose, maxReason } from "./expense.ts";
import type { Expenses, StoredExpense } from "./expenses.ts";

/** The API. app.yaml has the permission of each route. Which expenses a caller sees depends on who they are. */
export function routes(expenses: Expenses, people: People): Readonly<Record<string, AppHandler>> {
  const named = async (list: readonly StoredExpense[]): Promise<readonly Expense[]> => {
    const nameOf = await people.names(
      list.flatMap(({ userId, decidedById }) => (decidedById ? [userId, decidedById] : [userId])),
    );
    return list.map(({ decidedById, decidedAt, reason, ...expense }) => ({
      ...expense,
      person: nameOf(expense.userId),
      ...(decidedById !== null && { decidedBy: nameOf(decidedById) }),
      ...(decidedAt && { decidedAt: decidedAt.toISOString() }),
      ...(reason !== null && { reason }),
    }));
  };
  const shown = async (expense: StoredExpense) => ({ json: (await named([expense]))[0] });
  /** Returns an expense that the caller may see. To others it does not exist. */
  const visible = async (call: AppCall): Promise<StoredExpense> => {
    const expense = await expenses.find(call.idParam("id"));
    const isVisible = expense && (expense.userId === call.caller.userId || (await call.can(approvePermission)));
    if (!isVisible) throw new HttpError(404, "there is no such expense");
    return expense;
  };
  return {
    "GET /expenses": async (call) => {
      const isApprover = await call.can(approvePermission);
      return { json: { expenses: await named(await expenses.list(isApprover ? null : call.userId())) } };
    },
    "POST /expenses": async (call) => {
      const fields = await call.fields();
      const added = await expenses.add({
        userId: call.userId(),
        purpose: fields.text("purpose", { max: maxPurpose }),
        cents: fields.integer("cents", { min: 1, max: maxCents }),
        currency: fields.oneOf("currency", currencies),
        spentOn: fields.day("spentOn"),
      });
      return { ...(await shown(added)), status: 201 };
    },
    "GET /expenses/{id}": async (call) => await shown(await visible(call)),
    "DELETE /expenses/{id}": async (call) => {
      const { id } = await visible(call);
      if (!(await expenses.remove(id, call.userId()))) throw new HttpError(409, "only your own open expenses can be removed");
      return { status: 204 };
    },
    "POST /expenses/{id}/decision": async (call) => {
      const { id, userId, purpose } = await visible(call);
      const me = call.userId();
      if (userId === me) throw new HttpError(403, "another person decides on your expense");
      const fields = await call.fields();
      const isApproved = fields.flag("approved");
      const reason = isApproved ? null : fields.text("reason", { max: maxReason });
      const decided = await expenses.decide(id, me, reason);
      if (!decided) throw new HttpError(409, "the expense was decided before");
      const title = `Your expense was ${isApproved ? "approved" : "refused"}`;
      await people.tryNotify(userId, { title, text: reason ?? purpose, path: `/expenses/${id}` });
      return await shown(decided);
    },
  };
}
