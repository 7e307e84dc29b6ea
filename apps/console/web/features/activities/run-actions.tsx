import { Button, Group, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useViewer } from "../../api/viewer.ts";
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
    const retried = await retryRun(id).catch(notifyFailure(`${activity} was not started again`));
    setBusy(false);
    if (!retried) return;
    notify(`${activity} is started again`);
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
          aria-label={`Cancel ${activity}`}
          onClick={() => setAsks(true)}
        >
          Cancel
        </Button>
      )}
      {!isActive(run) && permissions.includes("activity:trigger") && (
        <BusyButton
          size={size}
          variant="default"
          loading={isBusy}
          aria-label={`Retry ${activity}`}
          onClick={() => void retry()}
        >
          Retry
        </BusyButton>
      )}
      <Confirm
        opened={asks}
        title={`Cancel ${activity}?`}
        action="Cancel the run"
        dismiss="Keep it"
        onCancel={() => setAsks(false)}
        onConfirm={async () => {
          const { status } = await cancelRun(id);
          notify(status === "RUNNING" ? `${activity} is asked to stop` : `${activity} is ${status.toLowerCase()}`);
        }}
      >
        <Text>
          The run of {appName} ends without a result and is not retried. A worker that runs it has 30 seconds to stop.
        </Text>
      </Confirm>
    </Group>
  );
}
