import { mountView, type ViewProps } from "@appserver/sdk/react";
import { ExpenseDetail } from "./expense-detail.tsx";
import { ExpenseForm } from "./expense-form.tsx";
import { ExpenseList } from "./expense-list.tsx";

export const mount = mountView(View);

function View({ page, segments: [first] }: ViewProps) {
  if (first === undefined) return <ExpenseList page={page} />;
  if (first === "new") return <ExpenseForm page={page} />;
  return <ExpenseDetail key={first} page={page} id={first} />;
}
