"""For the backends of apps that run on Appserver."""

from .activities import ActivityError, ActivityHandler, ActivityOptions, ActivityRun, ActivitySchedule
from .activity_worker import ActivityWorker
from .app_client import AppClient, AppResponse
from .app_environment import AppEnvironment, app_environment
from .app_identity import AppIdentity, read_app_identity, read_forward_secret
from .app_settings import AppSettings
from .current_trace import CurrentTrace, current_trace, run_in_trace
from .database import database
from .hook_subscriber import HookSubscriber
from .hooks import DropHook, Hook, HookHandler, PushSignatureError, Triggered, trigger_hook, verify_push
from .log_line import LogLevel, log_line
from .migrations import MigrationError
from .people import People, Person
from .platform_client import PlatformClient, PlatformService
from .pushed_hooks import pushed_hooks
from .runs import RunReport, Runs
from .serve_app import AppAnswer, AppCall, AppCaller, AppHandler, HttpError, RunningApp, serve_app
from .sign_request import sign_request
from .stop_on_signals import stop_on_signals
from .storage_path import storage_path
from .verify_forwarded import ForwardSignatureError, forward_key, verify_forwarded

__all__ = [
    "ActivityError",
    "ActivityHandler",
    "ActivityOptions",
    "ActivityRun",
    "ActivitySchedule",
    "ActivityWorker",
    "AppAnswer",
    "AppCall",
    "AppCaller",
    "AppClient",
    "AppEnvironment",
    "AppHandler",
    "AppIdentity",
    "AppResponse",
    "AppSettings",
    "CurrentTrace",
    "DropHook",
    "ForwardSignatureError",
    "Hook",
    "HookHandler",
    "HookSubscriber",
    "HttpError",
    "LogLevel",
    "MigrationError",
    "People",
    "Person",
    "PlatformClient",
    "PlatformService",
    "PushSignatureError",
    "RunReport",
    "RunningApp",
    "Runs",
    "Triggered",
    "app_environment",
    "current_trace",
    "database",
    "forward_key",
    "log_line",
    "pushed_hooks",
    "read_app_identity",
    "read_forward_secret",
    "run_in_trace",
    "serve_app",
    "sign_request",
    "stop_on_signals",
    "storage_path",
    "trigger_hook",
    "verify_forwarded",
    "verify_push",
]
