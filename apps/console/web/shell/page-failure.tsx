import { Alert, Button, Stack, Text } from "@mantine/core";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { send } from "../api/client.ts";
import { connection } from "../api/connection.ts";
import { useStore } from "../api/store.ts";
import { ViewerDocument } from "../generated/operations.ts";
import { i18n } from "../i18n.ts";
import { Loading } from "../parts/states.tsx";
import { missingScript, reloadOnce } from "./missing-script.ts";

/**
 * Stands for a page that has failed. If one of its scripts is missing, the address is loaded again as soon as the platform responds:
 * the console may have been updated. The page that was there before had asked about unsaved changes.
 */
export function PageFailure({ error }: ErrorComponentProps) {
  const isMissing = useStore(missingScript);
  const state = useStore(connection);
  const [isFinal, setFinal] = useState(false);
  useEffect(() => {
    if (!isMissing || state === "lost") return;
    send(ViewerDocument, {}).then(
      () => {
        if (!reloadOnce()) setFinal(true);
      },
      // The console asks until the platform responds.
      () => connection.set("lost"),
    );
  }, [isMissing, state]);
  if (isMissing && !isFinal) return <Loading />;
  return (
    <Alert color="red" variant="outline" role="alert" title={i18n.t("This page has failed")}>
      <Stack align="flex-start" gap="xs">
        <Text size="sm" className="wrap">
          {isMissing ? i18n.t("A script of this page could not be loaded.") : messageOf(error)}
        </Text>
        <Button size="xs" variant="default" onClick={() => location.reload()}>
          {i18n.t("Load the page again")}
        </Button>
      </Stack>
    </Alert>
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
