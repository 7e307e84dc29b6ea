import { Trans } from "@lingui/react";
import { Button, Code, Group, Stack, Text } from "@mantine/core";
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
import { i18n } from "../../i18n.ts";
import { BusyButton } from "../../parts/busy-button.tsx";
import { command } from "../../parts/commands.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Section } from "../../parts/facts.tsx";
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
    return (
      <Empty title={i18n.t("No permissions")}>
        {i18n.t("{displayName} asks for no permission of the platform or of other apps.", { displayName: app.displayName })}
      </Empty>
    );
  }
  return (
    <Section title={i18n.t("What the app may do")}>
      {!mayApprove && (
        <Text c="dimmed" mb="sm">
          <Trans
            id="You lack <0>permission:approve</0>: you can see these permissions, but not approve or revoke them."
            components={{ 0: <Code /> }}
          />
        </Text>
      )}
      <Stack gap="lg">
        {app.requiredPermissions.map((each) => (
          <Permission key={`${each.scope} ${each.resourceType}`} app={app} permission={each} mayApprove={mayApprove} />
        ))}
      </Stack>
    </Section>
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
      () => notify(i18n.t("{scope} is approved", { scope })),
      notifyFailure(i18n.t("{scope} was not approved", { scope })),
    );
    setBusy(false);
  };
  return (
    <section aria-label={scope}>
      <Group justify="space-between" align="flex-start">
        <Stack gap={4}>
          <Group gap="xs">
            <Text>{reason}</Text>
            <Status tone={!requiresApproval ? "neutral" : approved ? "good" : "warning"}>
              {!requiresApproval ? i18n.t("no approval needed") : approved ? i18n.t("approved") : i18n.t("waits for approval")}
            </Status>
          </Group>
          <Text size="sm" c="dimmed">
            <Code>{scope}</Code> {i18n.t("of {resourceType}", { resourceType })}
          </Text>
          {approved && approvedAt && (
            <Text size="sm" c="dimmed">
              <Trans
                id="approved by <0/> <1/>"
                components={{ 0: <Who id={approvedBy ?? "system"} />, 1: <Time at={approvedAt} /> }}
              />
            </Text>
          )}
        </Stack>
        {mayApprove && requiresApproval && !approved && (
          <BusyButton loading={isBusy} onClick={() => void approve()} aria-label={i18n.t("Approve {scope}", { scope })}>
            {i18n.t("Approve")}
          </BusyButton>
        )}
        {mayApprove && approved && requiresApproval && (
          <Button variant="default" onClick={() => setAsks(true)} aria-label={i18n.t("Revoke {scope}", { scope })}>
            {i18n.t("Revoke")}
          </Button>
        )}
      </Group>
      <Confirm
        opened={asks}
        title={i18n.t("Revoke {scope}?", { scope })}
        action={i18n.t("Revoke")}
        onCancel={() => setAsks(false)}
        onConfirm={async () => {
          await command(RevokePermissionsDocument, { name, scopes: [scope] });
          notify(i18n.t("{scope} is revoked", { scope }));
        }}
      >
        <Text>
          {i18n.t("{displayName} loses this permission at once and keeps running.", { displayName: app.displayName })}
        </Text>
      </Confirm>
    </section>
  );
}
