import { Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useViewer } from "../api/viewer.ts";

/** The name of an app. It leads to the app's page for users who may see it. */
export function AppLink({ name }: { readonly name: string }) {
  const { permissions } = useViewer();
  if (!permissions.includes("app:view")) return name;
  return (
    <Anchor component={Link} to="/console/apps/$name" params={{ name } as never} size="sm" underline="always">
      {name}
    </Anchor>
  );
}
