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
  const [asks, setAsks] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const { id, activity, appName } = run;
  const retry = async (): Promise<void> => {
    setBusy(true);
    const retried = await retryRun(id).catch(notifyFailure(i18n.t("{activity} was not started again", { activity })));
    setBusy(false);
    if (!retried) return;
    notify(i18n.t("{activity} is started again", { activity }));
    await navigate({ to: "/console/activities/runs/$id", params: { id: retried.id } });
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
          onClick={() => setAsks(true)}
        >
          {i18n.t("Cancel")}
        </Button>
      )}
      {!isActive(run) && permissions.includes("activity:trigger") && (
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
        opened={asks}
        title={i18n.t("Cancel {activity}?", { activity })}
        action={i18n.t("Cancel the run")}
        dismiss={i18n.t("Keep it")}
        onCancel={() => setAsks(false)}
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
    </Group>
  );
}
