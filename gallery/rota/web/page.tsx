import { mountView, type ViewProps } from "@appserver/sdk/react";
import { WeekDetail } from "./week-detail.tsx";
import { WeekList } from "./week-list.tsx";

export const mount = mountView(View);

function View({ page, segments: [monday] }: ViewProps) {
  return monday === undefined ? <WeekList page={page} /> : <WeekDetail key={monday} page={page} monday={monday} />;
}
