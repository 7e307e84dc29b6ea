import { useViewer } from "../api/viewer.ts";
import { PageLink } from "./page-link.tsx";

/** The name of an app. It leads to the app's page for users who may see it. */
export function AppLink({ name }: { readonly name: string }) {
  const { permissions } = useViewer();
  if (!permissions.includes("app:view")) return name;
  return (
    <PageLink to="/console/apps/$name" params={{ name }} size="sm" underline="always">
      {name}
    </PageLink>
  );
}
