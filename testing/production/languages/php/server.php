<?php

declare(strict_types=1);

require __DIR__ . '/appserver.php';

function respond(int $status, mixed $value): void
{
    http_response_code($status);
    header('content-type: application/json');
    echo json_encode($value);
}

$headers = array_change_key_case(getallheaders());
[$method, $target] = [$_SERVER['REQUEST_METHOD'], $_SERVER['REQUEST_URI']];
$body = file_get_contents('php://input');
$path = parse_url($target, PHP_URL_PATH);
if ($path === '/health') {
    respond(200, ['status' => 'ok']);
    return;
}
$key = secret_key(file_get_contents(getenv('APP_IDENTITY_DIR') . '/forward-secret'));
if (!is_forwarded($key, $method, $target, $headers, time())) {
    respond(401, ['error' => 'the request is not signed by the platform']);
    return;
}
if (preg_match('~^/(hooks|runs)/~', $path)) {
    $secret = call_platform('POST', '/appserver.v2.HooksService/GetPushSecret', [])['secret'];
    if (!is_posted($secret, $headers, $body, time())) {
        respond(401, ['error' => 'the post is not signed by the platform']);
        return;
    }
}
$posted = json_decode($body, true);
switch ("$method $path") {
    case 'GET /hello':
        $settings = call_platform('GET', '/api/v2/apps/' . getenv('APP_ID') . '/settings');
        respond(200, ['hello' => $headers['x-user-id'] ?? 'visitor', 'greeting' => $settings['values']['hello.greeting']]);
        break;
    case 'POST /hello':
        call_platform('POST', '/api/v2/hooks/com.example.php.greeted/trigger', ['data' => ['name' => 'ada']]);
        respond(202, ['ok' => true]);
        break;
    case 'POST /hooks/greeted':
        error_log("greeted {$posted['data']['name']}");
        respond(200, null);
        break;
    case 'POST /runs/later':
        error_log("accepted {$posted['activity']} {$posted['id']} with {$posted['input']}");
        respond(202, null);
        break;
    case 'POST /report':
        $run = "/api/v2/activity-runs/{$posted['id']}";
        call_platform('PUT', "$run/progress", ['attempt' => 1, 'progress' => 0.5, 'stage' => 'half']);
        respond(200, call_platform('PUT', "$run/result", ['attempt' => 1, 'output' => ['total' => 10]])['stage']);
        break;
    default:
        respond(404, ['error' => "there is no $path"]);
}
