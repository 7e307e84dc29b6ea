import { mountView, type ViewProps } from "@appserver/sdk/react";
import { LinkForm } from "./link-form.tsx";
import { LinkList } from "./link-list.tsx";

export const mount = mountView(View);

function View({ page, segments: [view] }: ViewProps) {
  return view === "new" ? <LinkForm page={page} /> : <LinkList page={page} />;
}
