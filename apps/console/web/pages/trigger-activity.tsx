import { Autocomplete, Button, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { recentRunsQuery, runQuery, schedulesQuery } from "../api/activity-queries.ts";
import { queryClient } from "../api/query-client.ts";
import { Dialog, DialogActions, useCommand } from "../parts/dialog.tsx";
import { useAppNames } from "../parts/filter-field.tsx";
import { JsonField, jsonProblem, parseJson } from "../parts/json-field.tsx";
import { notify, notifyFailure } from "../parts/notices.tsx";
import { triggerActivity } from "../parts/run-commands.ts";

interface TriggerProps {
  readonly opened: boolean;
  /** The app that the list is filtered by. */
  readonly app: string | undefined;
  readonly onClose: () => void;
}

/** Starts a run with an input. It leads to the page of the run, which shows its progress. */
export function TriggerActivityDialog({ opened, app, onClose }: TriggerProps) {
  return (
    <Dialog opened={opened} onClose={onClose} size="lg" title="Trigger an activity">
      <TriggerForm app={app} onClose={onClose} />
    </Dialog>
  );
}

function TriggerForm({ app, onClose }: Omit<TriggerProps, "opened">) {
  const navigate = useNavigate();
  const [appName, setAppName] = useState(app ?? "");
  const [activity, setActivity] = useState("");
  const [text, setText] = useState("");
  const appNames = useAppNames(appName);
  const { activities, lastRun } = useKnownActivities(appName.trim(), activity.trim());
  const command = useCommand(async () => {
    const run = await triggerActivity({ appName: appName.trim(), activity: activity.trim(), input: parseJson(text) });
    notify(`${run.activity} is started`);
    onClose();
    await navigate({ to: "/console/activities/runs/$id", params: { id: run.id } });
  });
  const copyInput = async (id: string): Promise<void> => {
    const run = await queryClient.fetchQuery(runQuery(id));
    setText(run?.input == null ? "" : JSON.stringify(run.input, undefined, 2));
  };
  return (
    <form onSubmit={command.submit}>
      <Stack>
        <Autocomplete
          label="App"
          placeholder="com.example.app"
          data={[...appNames]}
          limit={20}
          value={appName}
          onChange={setAppName}
          required
          data-autofocus
        />
        <Autocomplete
          label="Activity"
          description="As its manifest declares it. Suggestions are those with a schedule or a recent run."
          data={[...activities]}
          value={activity}
          onChange={setActivity}
          required
        />
        <JsonField
          label="Input"
          description="A JSON value that the platform checks against the input schema of the activity. Empty: no input."
          value={text}
          onChange={setText}
        />
        {lastRun && (
          <Button
            size="xs"
            variant="default"
            w="fit-content"
            onClick={() => void copyInput(lastRun).catch(notifyFailure("The input could not be read"))}
          >
            Use the input of the last run
          </Button>
        )}
        <DialogActions
          command={command}
          label="Trigger"
          refused="The run was not started"
          disabled={appName.trim() === "" || activity.trim() === "" || jsonProblem(text) !== undefined}
          onClose={onClose}
        />
      </Stack>
    </form>
  );
}

/** Returns the activities of an app that have a schedule or a recent run, and the id of the last run of one of them. */
function useKnownActivities(appName: string, activity: string) {
  // Names of apps have a dot: without one, the name is not complete.
  const enabled = appName.includes(".");
  const { data: schedules = [] } = useQuery({ ...schedulesQuery(appName), enabled });
  const { data: runs = [] } = useQuery({ ...recentRunsQuery(appName), enabled });
  const activities = [...new Set([...schedules, ...runs].map((each) => each.activity))].sort();
  return { activities, lastRun: runs.find((run) => run.activity === activity)?.id };
}
