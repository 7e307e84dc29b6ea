import { Code, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

/** The words for expressions are read when the first one is shown. */
const wordsQuery = {
  queryKey: ["cron-words"],
  queryFn: async () => ({ of: (await import("./cron-words.ts")).cronWords }),
  staleTime: Number.POSITIVE_INFINITY,
};

/** When a schedule is due: in words, and as its cron expression. */
export function CronText({ cron, timezone }: { readonly cron: string; readonly timezone: string }) {
  const { data: words } = useQuery(wordsQuery);
  const text = words?.of(cron);
  return (
    <>
      {text !== undefined && <Text size="sm">{text}</Text>}
      <Text size="sm" c="dimmed" component="div">
        <Code>{cron}</Code> {timezone}
      </Text>
    </>
  );
}
