import { Alert, Button, Group, Modal, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { type SubmitEvent, useState } from "react";
import { mutate } from "../api/client.ts";
import { queryClient } from "../api/query-client.ts";
import { RecoverDeliveriesDocument } from "../generated/operations.ts";
import { notify } from "../parts/notices.tsx";

const dayMs = 86_400_000;

interface RecoverProps {
  readonly opened: boolean;
  /** The hook that the list is filtered by. */
  readonly hook: string | undefined;
  readonly onClose: () => void;
}

/** Sends all dead letters of a hook and a range of time again. */
export function RecoverDialog({ opened, hook, onClose }: RecoverProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      size="lg"
      title="Recover dead letters"
      closeButtonProps={{ "aria-label": "Close the dialog" }}
    >
      <RecoverForm hook={hook} onClose={onClose} />
    </Modal>
  );
}

/** Returns the time as a field of type datetime-local has it: in the time zone of the browser, without seconds. */
function localTime(at: number): string {
  const date = new Date(at);
  return new Date(at - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function RecoverForm({ hook, onClose }: Omit<RecoverProps, "opened">) {
  const [hookName, setHookName] = useState(hook ?? "");
  const [since, setSince] = useState(() => localTime(Date.now() - dayMs));
  const [until, setUntil] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const send = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setFailure(undefined);
    try {
      const range = { since: new Date(since).toISOString(), until: until ? new Date(until).toISOString() : null };
      const { recoverHookDeliveries: count } = await mutate(RecoverDeliveriesDocument, { hookName: hookName.trim(), ...range });
      await queryClient.invalidateQueries({ queryKey: ["deliveries"] });
      notify(
        count === 0 ? "No dead letters in this range" : `${count} ${count === 1 ? "delivery is" : "deliveries are"} sent again`,
      );
      onClose();
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void send(event)}>
      <Stack>
        <Text size="sm">
          Every dead letter whose event was triggered in this range is sent again, with all its retries. Subscribers may receive
          an event a second time.
        </Text>
        <TextInput
          label="Hook"
          placeholder="com.example.app.created"
          value={hookName}
          onChange={(event) => setHookName(event.currentTarget.value)}
          required
          data-autofocus
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            label="Since"
            type="datetime-local"
            value={since}
            onChange={(event) => setSince(event.currentTarget.value)}
            required
          />
          <TextInput
            label="Until"
            description="Empty: now"
            inputWrapperOrder={["label", "input", "description", "error"]}
            type="datetime-local"
            value={until}
            onChange={(event) => setUntil(event.currentTarget.value)}
          />
        </SimpleGrid>
        {failure && (
          <Alert color="red" variant="outline" role="alert" title="Nothing was recovered">
            {failure}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy} disabled={hookName.trim() === "" || since === ""}>
            Recover
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
