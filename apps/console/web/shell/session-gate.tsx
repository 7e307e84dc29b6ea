import { Button, Center, Loader, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { ApiError } from "../api/api-error.ts";
import { connection, session } from "../api/connection.ts";
import { type Viewer, viewerQuery } from "../api/queries.ts";
import { signInUrl, triedKey } from "../api/sign-in-url.ts";
import { useOutage, useRecovery } from "../api/use-outage.ts";
import { ViewerContext } from "../api/viewer.ts";
import { i18n } from "../i18n.ts";
import { ExpiredDialog } from "./expired-dialog.tsx";

/**
 * Shows its children to a user that is signed in. Others go to the login of the identity provider. After that, the children stay even
 * if the session ends, so that nothing they hold is lost.
 */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const { data, error } = useQuery(viewerQuery);
  const outage = useOutage();
  useRecovery();
  const user = useRef<Viewer>(undefined);
  const isUser = data?.kind === "user";
  if (isUser && user.current === undefined) user.current = data;
  const isOther = isUser && user.current?.subject !== data.subject;
  useEffect(() => {
    if (isOther) location.reload();
    // After a refusal, the data is of before it.
    if (user.current && data && !error) session.set(isUser ? "valid" : "ended");
    if (error instanceof ApiError && error.isOutage) connection.set("lost");
  }, [isOther, isUser, data, error]);
  const viewer = isUser ? data : user.current;
  if (viewer) {
    return (
      <ViewerContext value={viewer}>
        {children}
        <ExpiredDialog />
      </ViewerContext>
    );
  }
  if (error instanceof ApiError && error.isOutage)
    return (
      <Waiting>
        {outage ? `${outage.title}. ${outage.effects.join(" ")}` : i18n.t("The platform does not respond yet.")}{" "}
        {i18n.t("This page tries again.")}
      </Waiting>
    );
  if (error instanceof ApiError && error.needsSecondFactor) return <SignIn needsSecondFactor />;
  if (error && !(error instanceof ApiError && error.isSignedOut)) return <Waiting>{error.message}</Waiting>;
  if (data || error) return <SignIn />;
  return <Waiting>{i18n.t("Loading")}</Waiting>;
}

function Waiting({ children }: { readonly children: ReactNode }) {
  return (
    <Center mih="100vh" component="main">
      <Stack align="center" p="md">
        <Loader aria-hidden />
        <Text role="status">{children}</Text>
      </Stack>
    </Center>
  );
}

const againMs = 15_000;

/** Sends the browser to the login. If it has just been there, it asks first: a login that returns at once would not end. */
function SignIn({ needsSecondFactor = false }: { readonly needsSecondFactor?: boolean }) {
  const { href } = useLocation();
  const [asks] = useState(() => Date.now() - Number(sessionStorage.getItem(triedKey) ?? 0) < againMs);
  const url = signInUrl(href, needsSecondFactor);
  useEffect(() => {
    if (asks) return;
    sessionStorage.setItem(triedKey, String(Date.now()));
    location.replace(url);
  }, [asks, url]);
  if (!asks) return <Waiting>{i18n.t("Opening the sign-in page")}</Waiting>;
  return (
    <Center mih="100vh" component="main">
      <Stack align="center" p="md">
        <Title order={1}>{needsSecondFactor ? i18n.t("Your second factor is missing") : i18n.t("You are not signed in")}</Title>
        <Text>
          {needsSecondFactor ? i18n.t("Continue the sign-in to use the console.") : i18n.t("Sign in to use the console.")}
        </Text>
        <Button component="a" href={url}>
          {i18n.t("Sign in")}
        </Button>
      </Stack>
    </Center>
  );
}
