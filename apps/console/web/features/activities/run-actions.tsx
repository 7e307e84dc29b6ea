import { Button, Group, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useViewer } from "../../api/viewer.ts";
import { i18n } from "../../i18n.ts";
import { BusyButton } from "../../parts/busy-button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { notify, notifyFailure } from "../../parts/notices.tsx";
import { isActive, type Run } from "./activity-queries.ts";
import { cancelRun, retryRun } from "./run-commands.ts";

interface ActionsProps {
  readonly run: Run;
  readonly size: "xs" | "sm";
}

/** The commands on a run that its status and the permissions of the viewer allow. A retry leads to the new run. */
export function RunActions({ run, size }: ActionsProps) {
  const { permissions } = useViewer();
  const navigate = useNavigate();
  const [asks, setAsks] = useState<"cancel" | "again">();
  const [isBusy, setBusy] = useState(false);
  const { id, activity, appName } = run;
  const startAgain = async (): Promise<void> => {
    const { id: retried } = await retryRun(id);
    notify(i18n.t("{activity} is started again", { activity }));
    await navigate({ to: "/console/activities/runs/$id", params: { id: retried } });
  };
  const retry = async (): Promise<void> => {
    setBusy(true);
    await startAgain().catch(notifyFailure(i18n.t("{activity} was not started again", { activity })));
    setBusy(false);
  };
  return (
    <Group gap="xs" wrap="nowrap">
      {isActive(run) && permissions.includes("activity:cancel") && (
        <Button
          size={size}
          variant="outline"
          color="red"
          c="var(--mantine-color-error)"
          aria-label={i18n.t("Cancel {activity}", { activity })}
          onClick={() => setAsks("cancel")}
        >
          {i18n.t("Cancel")}
        </Button>
      )}
      {run.status === "COMPLETED" && permissions.includes("activity:trigger") && (
        <Button
          size={size}
          variant="default"
          aria-label={i18n.t("Run again: {activity}", { activity })}
          onClick={() => setAsks("again")}
        >
          {i18n.t("Run again")}
        </Button>
      )}
      {!isActive(run) && run.status !== "COMPLETED" && permissions.includes("activity:trigger") && (
        <BusyButton
          size={size}
          variant="default"
          loading={isBusy}
          aria-label={i18n.t("Retry {activity}", { activity })}
          onClick={() => void retry()}
        >
          {i18n.t("Retry")}
        </BusyButton>
      )}
      <Confirm
        opened={asks === "cancel"}
        title={i18n.t("Cancel {activity}?", { activity })}
        action={i18n.t("Cancel the run")}
        dismiss={i18n.t("Keep it")}
        onCancel={() => setAsks(undefined)}
        onConfirm={async () => {
          const { status } = await cancelRun(id);
          notify(
            status === "RUNNING"
              ? i18n.t("{activity} is asked to stop", { activity })
              : i18n.t("{activity} is {status}", { activity, status: status.toLowerCase() }),
          );
        }}
      >
        <Text>
          {i18n.t(
            "The run of {appName} ends without a result and is not retried. A worker that runs it has 30 seconds to stop.",
            { appName },
          )}
        </Text>
      </Confirm>
      <Confirm
        opened={asks === "again"}
        title={i18n.t("Run {activity} again?", { activity })}
        action={i18n.t("Run again")}
        isDestructive={false}
        onCancel={() => setAsks(undefined)}
        onConfirm={startAgain}
      >
        <Text>{i18n.t("The run has completed. A new run with the same input does its work a second time.")}</Text>
      </Confirm>
    </Group>
  );
}
