import { Button, Code, Group, Paper, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { type AppDetails, appQuery } from "../../api/queries.ts";
import { useViewer } from "../../api/viewer.ts";
import {
  ApprovePermissionsDocument,
  type AppState,
  type PermissionFragment,
  RevokePermissionsDocument,
} from "../../generated/operations.ts";
import { BusyButton } from "../../parts/busy-button.tsx";
import { command } from "../../parts/commands.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { notify, notifyFailure } from "../../parts/notices.tsx";
import { Empty } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { Who } from "../../parts/who.tsx";
import { AppMembers } from "../access/app-members.tsx";
import { PermissionChanges } from "./permission-changes.tsx";

const route = getRouteApi("/shell/console/apps/$name");

export function AppPermissions() {
  const { name } = route.useParams();
  const { data: app } = useQuery(appQuery(name));
  const { permissions } = useViewer();
  if (!app) return null;
  const mayApprove = permissions.includes("permission:approve");
  return (
    <Stack>
      <Required app={app} mayApprove={mayApprove} />
      {app.availableVersion && isInstalled(app.state) && <PermissionChanges app={app} version={app.availableVersion} />}
      {permissions.includes("access:view") && <AppMembers name={name} />}
    </Stack>
  );
}

function isInstalled(state: AppState): boolean {
  return state === "RUNNING" || state === "UNHEALTHY" || state === "INSTALLED";
}

function Required({ app, mayApprove }: Omit<PermissionProps, "permission">) {
  if (app.requiredPermissions.length === 0) {
    return <Empty title="No permissions">{app.displayName} asks for no permission of the platform or of other apps.</Empty>;
  }
  return (
    <>
      {!mayApprove && (
        <Text c="dimmed">
          You lack <Code>permission:approve</Code>: you can see these permissions, but not approve or revoke them.
        </Text>
      )}
      {app.requiredPermissions.map((each) => (
        <Permission key={`${each.scope} ${each.resourceType}`} app={app} permission={each} mayApprove={mayApprove} />
      ))}
    </>
  );
}

interface PermissionProps {
  readonly app: AppDetails;
  readonly permission: PermissionFragment;
  readonly mayApprove: boolean;
}

function Permission({ app, permission, mayApprove }: PermissionProps) {
  const [isBusy, setBusy] = useState(false);
  const [asks, setAsks] = useState(false);
  const { scope, resourceType, reason, requiresApproval, approved, approvedBy, approvedAt } = permission;
  const { name, manifestDigest } = app;
  const approve = async (): Promise<void> => {
    setBusy(true);
    await command(ApprovePermissionsDocument, { name, scopes: [scope], manifestDigest }).then(
      () => notify(`${scope} is approved`),
      notifyFailure(`${scope} was not approved`),
    );
    setBusy(false);
  };
  return (
    <Paper withBorder p="md" component="section" aria-label={scope}>
      <Group justify="space-between" align="flex-start">
        <Stack gap={4}>
          <Group gap="xs">
            <Code fz="sm">{scope}</Code>
            <Text size="sm" c="dimmed">
              of {resourceType}
            </Text>
            <Status tone={!requiresApproval ? "neutral" : approved ? "good" : "warning"}>
              {!requiresApproval ? "no approval needed" : approved ? "approved" : "waits for approval"}
            </Status>
          </Group>
          <Text>{reason}</Text>
          {approved && approvedAt && (
            <Text size="sm" c="dimmed">
              approved by <Who id={approvedBy ?? "system"} /> <Time at={approvedAt} />
            </Text>
          )}
        </Stack>
        {mayApprove && requiresApproval && !approved && (
          <BusyButton loading={isBusy} onClick={() => void approve()} aria-label={`Approve ${scope}`}>
            Approve
          </BusyButton>
        )}
        {mayApprove && approved && requiresApproval && (
          <Button variant="default" onClick={() => setAsks(true)} aria-label={`Revoke ${scope}`}>
            Revoke
          </Button>
        )}
      </Group>
      <Confirm
        opened={asks}
        title={`Revoke ${scope}?`}
        action="Revoke"
        onCancel={() => setAsks(false)}
        onConfirm={async () => {
          await command(RevokePermissionsDocument, { name, scopes: [scope] });
          notify(`${scope} is revoked`);
        }}
      >
        <Text>{app.displayName} loses this permission at once and keeps running.</Text>
      </Confirm>
    </Paper>
  );
}
