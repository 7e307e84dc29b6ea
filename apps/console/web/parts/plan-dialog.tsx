import { Trans } from "@lingui/react";
import { Alert, Button, Checkbox, Code, Group, List, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { installPlanQuery, type Operation, upgradePlanQuery } from "../api/queries.ts";
import { queryClient } from "../api/query-client.ts";
import { useViewer } from "../api/viewer.ts";
import {
  ApprovePermissionsDocument,
  type FindingFragment,
  InstallAppDocument,
  type PermissionFragment,
  RollbackAppDocument,
  type StepFragment,
  UpgradeAppDocument,
} from "../generated/operations.ts";
import { i18n } from "../i18n.ts";
import { AppName, useAppName } from "./app-link.tsx";
import { command } from "./commands.ts";
import { Dialog, DialogActions, useCommand } from "./dialog.tsx";
import { Differences } from "./differences.tsx";
import type { AppImage } from "./image-text.ts";
import { OperationStatus, useOperation } from "./operation-status.tsx";
import { RollbackData } from "./rollback-data.tsx";
import { Failure, Loading } from "./states.tsx";

/** What a plan dialog is about. */
export type Planned =
  | { readonly kind: "install"; readonly name: string }
  | { readonly kind: "upgrade" | "rollback"; readonly name: string; readonly version: string };

const actions = { install: i18n.t("Install"), upgrade: i18n.t("Upgrade"), rollback: i18n.t("Roll back") } as const;
const commands = { install: InstallAppDocument, upgrade: UpgradeAppDocument, rollback: RollbackAppDocument } as const;

/** Asks for the approvals that a command needs, shows what it would do, sends it, and follows its progress. */
export function PlanDialog({ planned, onClose }: { readonly planned: Planned | undefined; readonly onClose: () => void }) {
  const app = useAppName(planned?.name);
  return (
    <Dialog opened={planned !== undefined} onClose={onClose} size="lg" title={planned && titleOf(planned, app)}>
      {planned?.kind === "install" && <InstallPlan planned={planned} onClose={onClose} />}
      {planned && planned.kind !== "install" && <UpgradePlan planned={planned} onClose={onClose} />}
    </Dialog>
  );
}

function titleOf({ kind }: Planned, app: string): string {
  if (kind === "install") return i18n.t("Install {app}", { app });
  return kind === "upgrade" ? i18n.t("Upgrade {app}", { app }) : i18n.t("Roll back {app}", { app });
}

interface PlanProps<P extends Planned> {
  readonly planned: P;
  readonly onClose: () => void;
}

function InstallPlan({ planned, onClose }: PlanProps<Extract<Planned, { kind: "install" }>>) {
  const { data, error, refetch } = useQuery(installPlanQuery(planned.name));
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  return <Plan planned={planned} plan={{ ...data, manifestDigest: data.app.manifestDigest }} onClose={onClose} />;
}

function UpgradePlan({ planned, onClose }: PlanProps<Exclude<Planned, { kind: "install" }>>) {
  const { data, error, refetch } = useQuery(upgradePlanQuery(planned.name, planned.version));
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  const { app, version } = data;
  const kept = app.releases.find((release) => release.version === version)?.manifestDigest;
  const manifestDigest = version === app.availableVersion ? (app.availableDigest ?? kept) : kept;
  return <Plan planned={planned} plan={{ ...data, manifestDigest }} onClose={onClose} />;
}

interface ShownPlan {
  readonly image?: AppImage;
  readonly steps: readonly StepFragment[];
  readonly blockers: readonly FindingFragment[];
  readonly warnings: readonly FindingFragment[];
  readonly approvalsNeeded: readonly PermissionFragment[];
  readonly differences?: unknown;
  readonly digest: string;
  readonly manifestDigest: string | undefined;
}

/** Whether the approvals that the dialog asks for remove this blocker. */
function isApproval({ code, details }: FindingFragment, name: string): boolean {
  return code === "APPROVAL_REQUIRED" && (details as { readonly app?: unknown } | null)?.app === name;
}

function Plan({
  planned,
  plan,
  onClose,
}: {
  readonly planned: Planned;
  readonly plan: ShownPlan;
  readonly onClose: () => void;
}) {
  const { permissions } = useViewer();
  const [approved, setApproved] = useState<readonly string[]>([]);
  const [withData, setWithData] = useState(false);
  const [sent, setSent] = useState<Operation>();
  const operation = useOperation(sent);
  const { name, kind } = planned;
  const blockers = plan.blockers.filter((each) => !isApproval(each, name));
  const mayApprove = permissions.includes("permission:approve");
  const isApproved = plan.approvalsNeeded.every(({ scope }) => approved.includes(scope));
  const needsApproval = plan.approvalsNeeded.length > 0;
  // A plan that lacks approvals has no steps yet: the user sees them before the command is sent.
  const approve = async (): Promise<void> => {
    await command(ApprovePermissionsDocument, { name, scopes: approved, manifestDigest: plan.manifestDigest });
    await queryClient.invalidateQueries({ queryKey: ["plan"] });
  };
  const step = useCommand(async () => {
    if (needsApproval) return await approve();
    const version = planned.kind === "install" ? {} : { version: planned.version };
    const data = withData ? { withData } : {};
    const result = await command(commands[kind], { name, planDigest: plan.digest, ...version, ...data });
    setSent(result.operation ?? undefined);
    if (!result.operation) onClose();
  });
  if (operation) {
    return (
      <Stack>
        <OperationStatus operation={operation} />
        <Group justify="flex-end">
          <Button variant={operation.done ? "filled" : "default"} onClick={onClose}>
            {operation.done ? i18n.t("Close") : i18n.t("Continue in the background")}
          </Button>
        </Group>
      </Stack>
    );
  }
  return (
    <Stack>
      {plan.steps.length > 0 ? <Steps steps={plan.steps} /> : <Image image={plan.image} />}
      <Findings title={i18n.t("This is in the way")} color="red" findings={blockers} />
      <Findings title={i18n.t("Note before you continue")} color="yellow" findings={plan.warnings} />
      {plan.differences !== undefined && <Differences differences={plan.differences} />}
      {needsApproval && (
        <Approvals needed={plan.approvalsNeeded} approved={approved} onChange={setApproved} mayApprove={mayApprove} />
      )}
      {planned.kind === "rollback" && (
        <RollbackData name={name} version={planned.version} isWanted={withData} onChange={setWithData} />
      )}
      <DialogActions
        command={step}
        label={needsApproval ? i18n.t("Approve") : actions[kind]}
        isForm={false}
        refused={i18n.t("The command was refused")}
        disabled={blockers.length > 0 || !isApproved}
        onClose={onClose}
      />
    </Stack>
  );
}

function Steps({ steps }: { readonly steps: readonly StepFragment[] }) {
  return (
    <section aria-label={i18n.t("Steps")}>
      <Title order={3} size="h5" mb="xs">
        {i18n.t("Steps")}
      </Title>
      <List type="ordered" size="sm">
        {steps.map((step) => (
          <List.Item key={`${step.action} ${step.appName}`} className="wrap">
            <StepText step={step} />
            <Image image={step.image} />
          </List.Item>
        ))}
      </List>
    </section>
  );
}

function StepText({ step: { action, appName, version, reason } }: { readonly step: StepFragment }) {
  const values = { version };
  const components = { 0: <AppName name={appName} /> };
  if (action === "upgrade") return <Trans id="Upgrade <0/> to {version}" values={values} components={components} />;
  if (action === "rollback") return <Trans id="Roll back <0/> to {version}" values={values} components={components} />;
  const [, needing] = /^HARD dependency of (\S+)$/.exec(reason) ?? [];
  if (needing === undefined) return <Trans id="Install <0/> {version}" values={values} components={components} />;
  return (
    <Trans
      id="Install <0/> {version}, which <1/> needs"
      values={values}
      components={{ ...components, 1: <AppName name={needing} /> }}
    />
  );
}

/** What the approver of a version accepts to run. */
function Image({ image }: { readonly image: AppImage }) {
  if (!image) return null;
  return (
    <Text size="sm" c="dimmed" className="wrap">
      {image.digest ? i18n.t("Image {digest}", { digest: image.digest }) : i18n.t("The image is named by its tag.")}
    </Text>
  );
}

interface FindingsProps {
  readonly title: string;
  readonly color: string;
  readonly findings: readonly FindingFragment[];
}

function Findings({ title, color, findings }: FindingsProps) {
  if (findings.length === 0) return null;
  return (
    <Alert color={color} variant="outline" title={title}>
      <List size="sm">
        {findings.map(({ message }) => (
          <List.Item key={message}>{message}</List.Item>
        ))}
      </List>
    </Alert>
  );
}

interface ApprovalsProps {
  readonly needed: readonly PermissionFragment[];
  readonly approved: readonly string[];
  readonly mayApprove: boolean;
  readonly onChange: (scopes: readonly string[]) => void;
}

function Approvals({ needed, approved, mayApprove, onChange }: ApprovalsProps) {
  return (
    <section aria-label={i18n.t("Permissions to approve")}>
      <Title order={3} size="h5" mb="xs">
        {i18n.t("Permissions to approve")}
      </Title>
      {!mayApprove && (
        <Text size="sm" mb="xs">
          <Trans id="You lack <0>permission:approve</0>: an administrator has to approve them." components={{ 0: <Code /> }} />
        </Text>
      )}
      <Checkbox.Group value={[...approved]} onChange={onChange}>
        <Stack gap="xs">
          {needed.map(({ scope, resourceType, reason }) => (
            <Checkbox
              key={`${scope} ${resourceType}`}
              value={scope}
              disabled={!mayApprove}
              label={i18n.t("{scope} of {resourceType}", { scope, resourceType })}
              description={reason}
            />
          ))}
        </Stack>
      </Checkbox.Group>
    </section>
  );
}
