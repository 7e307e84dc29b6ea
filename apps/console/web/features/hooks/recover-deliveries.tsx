import { Autocomplete, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { send } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { RecoverDeliveriesDocument } from "../../generated/operations.ts";
import { i18n } from "../../i18n.ts";
import { Dialog, DialogActions, useCommand } from "../../parts/dialog.tsx";
import { notify } from "../../parts/notices.tsx";
import { deliveriesQuery } from "./hook-queries.ts";

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
    <Dialog opened={opened} onClose={onClose} size="lg" title={i18n.t("Send undelivered events again")}>
      <RecoverForm hook={hook} onClose={onClose} />
    </Dialog>
  );
}

/** Returns the time as a field of type datetime-local has it: in the time zone of the browser, without seconds. */
function localTime(at: number): string {
  const date = new Date(at);
  return new Date(at - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function RecoverForm({ hook, onClose }: Omit<RecoverProps, "opened">) {
  const [entered, setEntered] = useState(hook);
  const { data: dead } = useInfiniteQuery(deliveriesQuery({ status: "DEAD" }));
  const hooks = [...new Set(dead?.pages.flatMap(({ edges }) => edges.map(({ node }) => node.hookName)))].sort();
  const only = hooks.length === 1 ? hooks[0] : undefined;
  const hookName = entered ?? only ?? "";
  const [since, setSince] = useState(() => localTime(Date.now() - dayMs));
  const [until, setUntil] = useState("");
  const command = useCommand(async () => {
    const range = { since: new Date(since).toISOString(), until: until ? new Date(until).toISOString() : null };
    const { recoverHookDeliveries: count } = await send(RecoverDeliveriesDocument, { hookName: hookName.trim(), ...range });
    await queryClient.invalidateQueries({ queryKey: ["deliveries"] });
    notify(
      i18n.t(
        "{count, plural, =0 {No undelivered events in this range} one {# delivery is sent again} other {# deliveries are sent again}}",
        { count },
      ),
    );
    onClose();
  });
  return (
    <form onSubmit={command.submit}>
      <Stack>
        <Text size="sm">
          {i18n.t(
            "Every undelivered event of this range is sent again, with all its retries. Subscribers may receive an event a second time.",
          )}
        </Text>
        <Autocomplete
          label={i18n.t("Hook")}
          placeholder="com.example.app.created"
          data={hooks}
          limit={20}
          value={hookName}
          onChange={setEntered}
          required
          data-autofocus={hookName === "" || undefined}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            label={i18n.t("Since")}
            type="datetime-local"
            value={since}
            onChange={(event) => setSince(event.currentTarget.value)}
            required
            data-autofocus={hookName !== "" || undefined}
          />
          <TextInput
            label={i18n.t("Until")}
            description={i18n.t("Empty: now")}
            inputWrapperOrder={["label", "input", "description", "error"]}
            type="datetime-local"
            value={until}
            onChange={(event) => setUntil(event.currentTarget.value)}
          />
        </SimpleGrid>
        <DialogActions
          command={command}
          label={i18n.t("Recover")}
          refused={i18n.t("Nothing was recovered")}
          disabled={hookName.trim() === "" || since === ""}
          onClose={onClose}
        />
      </Stack>
    </form>
  );
}
