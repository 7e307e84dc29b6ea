import { useQuery } from "@tanstack/react-query";
import { nameQuery } from "../api/subjects.ts";
import { useViewer } from "../api/viewer.ts";
import { PageLink } from "./page-link.tsx";

interface AppLinkProps {
  readonly name: string;
  /** What people call the app. Default: it is asked for. */
  readonly displayName?: string | undefined;
}

/** An app by its display name. It leads to the app's page for users who may see it. The name is in the title. */
export function AppLink({ name, displayName }: AppLinkProps) {
  const { permissions } = useViewer();
  if (!permissions.includes("app:view")) return <AppName name={name} displayName={displayName} />;
  return (
    <PageLink to="/console/apps/$name" params={{ name }} size="sm" underline="always">
      <AppName name={name} displayName={displayName} />
    </PageLink>
  );
}

export function AppName({ name, displayName }: AppLinkProps) {
  const asked = useAppName(displayName === undefined ? name : undefined);
  return <span title={name}>{displayName ?? asked}</span>;
}

/** Returns the display name of an app, or its name until that is known. Empty without an app. */
export function useAppName(name: string | undefined): string {
  const { permissions } = useViewer();
  const { data } = useQuery({
    ...nameQuery(`app:${name}`),
    enabled: name !== undefined && permissions.includes("app:view"),
  });
  return data ?? name ?? "";
}
