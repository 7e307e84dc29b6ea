import { Breadcrumbs, Button, Group, Stack, Text, TextInput, Title } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type SubmitEvent, useEffect, useState } from "react";
import { i18n } from "../../i18n.ts";
import { PageLink } from "../../parts/page-link.tsx";

interface SearchProps {
  readonly id: string;
  /** What the trace is of. Without it, the page is the list of requests. */
  readonly title?: string;
}

/** The title of the pages of traces, with the field that leads to the trace of an id. */
export function TraceSearch({ id, title }: SearchProps) {
  const navigate = useNavigate();
  const [text, setText] = useState(id);
  useEffect(() => setText(id), [id]);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const wanted = text.trim();
    if (wanted !== "") void navigate({ to: "/console/trace/$id", params: { id: wanted } });
  };
  return (
    <Group justify="space-between" align="center" mb="md">
      {title === undefined ? (
        <Title order={1}>{i18n.t("Traces")}</Title>
      ) : (
        <Stack gap="xs" miw={0}>
          <Breadcrumbs>
            <PageLink to="/console/trace">{i18n.t("Traces")}</PageLink>
            <Text className="wrap">{title}</Text>
          </Breadcrumbs>
          <Title order={1} className="wrap">
            {title}
          </Title>
        </Stack>
      )}
      <form onSubmit={submit} className="trace-search">
        <Group gap="xs" wrap="nowrap">
          <TextInput
            size="xs"
            flex={1}
            aria-label={i18n.t("Request id or trace id")}
            placeholder={i18n.t("Request id or trace id")}
            autoComplete="off"
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button type="submit" size="xs" variant="default">
            {i18n.t("Show")}
          </Button>
        </Group>
      </form>
    </Group>
  );
}
