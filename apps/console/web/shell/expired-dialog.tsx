import { Button, Group, Modal, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { session } from "../api/connection.ts";
import { viewerQuery } from "../api/queries.ts";
import { signInUrl } from "../api/sign-in-url.ts";
import { useStore } from "../api/store.ts";
import { i18n } from "../i18n.ts";

const askAgainMs = 2_000;

/** Covers the page when the session has ended, and goes away when the user has signed in again in another tab. */
export function ExpiredDialog() {
  const queries = useQueryClient();
  const hasEnded = useStore(session) === "ended";
  useEffect(() => {
    if (!hasEnded) return;
    const ask = async (): Promise<void> => {
      const viewer = await queries.fetchQuery({ ...viewerQuery, staleTime: 0, retry: false }).catch(() => undefined);
      if (viewer?.kind !== "user") return;
      session.set("valid");
      await queries.invalidateQueries();
    };
    const timer = setInterval(() => void ask(), askAgainMs);
    return () => clearInterval(timer);
  }, [hasEnded, queries]);
  return (
    <Modal
      opened={hasEnded}
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={i18n.t("Your session has ended")}
      centered
    >
      <Text mb="md">{i18n.t("Sign in again in a new tab. This page keeps what you typed and continues by itself.")}</Text>
      <Group justify="flex-end">
        <Button component="a" href={signInUrl("/console/signed-in")} target="_blank" rel="noopener">
          {i18n.t("Sign in")}
        </Button>
      </Group>
    </Modal>
  );
}
