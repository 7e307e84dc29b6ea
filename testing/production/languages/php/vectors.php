<?php

declare(strict_types=1);

// Prints each test vector with which appserver.php does not agree: `php vectors.php vectors.json`.

require __DIR__ . '/appserver.php';

$vectors = json_decode(file_get_contents($argv[1]), true);
$report = fn (array $vector, bool $agrees) => $agrees ? null : print("{$vector['name']}\n");
foreach ($vectors['forwardedRequests'] as $vector) {
    $key = secret_key($vector['secret']);
    $report($vector, is_forwarded($key, $vector['method'], $vector['target'], $vector['headers'], $vector['now']) === $vector['isValid']);
}
foreach ($vectors['posts'] as $vector) {
    $report($vector, is_posted($vector['secret'], $vector['headers'], $vector['body'], $vector['now']) === $vector['isValid']);
}
foreach ($vectors['signedRequests']['requests'] as $vector) {
    $timestamp = $vector['headers']['x-request-timestamp'];
    $key = $vectors['signedRequests']['privateKey'];
    $signed = signed_headers($vector['appName'], $key, $vector['method'], $vector['url'], $vector['body'], $timestamp);
    // The order of the headers does not matter.
    $report($vector, $signed == $vector['headers']);
}
