import { mountView, type ViewProps } from "@appserver/sdk/react";
import { ServiceDetail } from "./service-detail.tsx";
import { ServiceForm } from "./service-form.tsx";
import { ServiceList } from "./service-list.tsx";

export const mount = mountView(View);

function View({ page, segments: [first] }: ViewProps) {
  if (first === undefined) return <ServiceList page={page} />;
  if (first === "new") return <ServiceForm page={page} />;
  return <ServiceDetail key={first} page={page} id={first} />;
}
