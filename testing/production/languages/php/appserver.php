<?php

declare(strict_types=1);

// What an app needs of the platform: the checks of what the platform sends, and signed calls. Names of headers are in lower case.

function secret_key(string $secret): string
{
    return base64_decode(preg_replace('/^whsec_/', '', trim($secret)), true) ?: throw new RuntimeException('the secret is not base64');
}

function is_forwarded(string $key, string $method, string $target, array $headers, int $now): bool
{
    if (!preg_match('~^t=(\d{1,12});v1=([A-Za-z0-9+/]{43}=)$~D', $headers['x-appserver-signature'] ?? '', $given)) {
        return false;
    }
    $signed = [$given[1], $method, $target];
    foreach (['x-user-id', 'x-app-name', 'x-machine-id'] as $name) {
        if (($headers[$name] ?? null) === '') {
            return false;
        }
        if ($name !== 'x-machine-id' || isset($headers[$name])) {
            $signed[] = $headers[$name] ?? '';
        }
    }
    $digest = base64_encode(hash_hmac('sha256', implode("\n", $signed), $key, true));
    return abs($now - (int) $given[1]) <= 60 && hash_equals($digest, $given[2]);
}

function is_posted(string $secret, array $headers, string $body, int $now): bool
{
    $timestamp = $headers['webhook-timestamp'] ?? '';
    $message = ($headers['webhook-id'] ?? '') . ".$timestamp.$body";
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $message, secret_key($secret), true));
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $signature) {
        if (hash_equals($expected, $signature)) {
            return abs($now - (int) $timestamp) <= 300;
        }
    }
    return false;
}

function signed_headers(string $app, string $key, string $method, string $url, string $body, string $timestamp): array
{
    openssl_sign(strtoupper($method) . $url . $timestamp . $body, $signature, $key, OPENSSL_ALGO_SHA256);
    return ['x-app-name' => $app, 'x-request-timestamp' => $timestamp, 'x-app-signature' => base64_encode($signature)];
}

/** Sends a signed request to the platform, and returns the JSON of the response. */
function call_platform(string $method, string $path, ?array $json = null): mixed
{
    $body = $json === null ? '' : json_encode((object) $json);
    $timestamp = gmdate('Y-m-d\TH:i:s\Z');
    $key = file_get_contents(getenv('APP_IDENTITY_DIR') . '/key.pem');
    $headers = signed_headers(getenv('APP_NAME'), $key, $method, $path, $body, $timestamp) + ['content-type' => 'application/json'];
    $lines = array_map(fn ($name, $value) => "$name: $value", array_keys($headers), $headers);
    $options = ['method' => $method, 'header' => $lines, 'content' => $body, 'ignore_errors' => true, 'follow_location' => 0];
    $text = file_get_contents(getenv('APPSERVER_HTTP_URL') . $path, false, stream_context_create(['http' => $options]));
    if (!preg_match('~^HTTP/\S+ 2~', $http_response_header[0])) {
        throw new RuntimeException("$method $path: the platform responded with $http_response_header[0]: $text");
    }
    return json_decode($text, true);
}
