"""Signs in to /mcp by the official package, as a program that knows nothing but the address.

Prints what happens as lines of JSON: the address for the browser, the tools, a result, and the tools after they have changed.
"""

import asyncio
import json
import sys
import urllib.parse

import httpx2
from mcp.client import Client
from mcp.client.auth import OAuthClientProvider, TokenStorage
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata


def tell(**fact):
    print(json.dumps(fact), flush=True)


class Memory(TokenStorage):
    def __init__(self):
        self.tokens = None
        self.client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


class Callback:
    """The address to which the browser comes back."""

    def __init__(self):
        self.answer = asyncio.get_running_loop().create_future()

    async def start(self):
        server = await asyncio.start_server(self.handle, "127.0.0.1", 0)
        return f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/callback"

    async def handle(self, reader, writer):
        target = (await reader.readline()).decode().split(" ")[1]
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(target).query))
        if "code" in query and not self.answer.done():
            self.answer.set_result(AuthorizationCodeResult(code=query["code"], state=query.get("state"), iss=query.get("iss")))
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok")
        await writer.drain()
        writer.close()


async def names(client):
    return [tool.name for tool in (await client.list_tools()).tools]


async def main(url):
    callback = Callback()
    redirect_uri = await callback.start()

    async def open_browser(address):
        tell(open=address)

    async def answer():
        return await callback.answer

    auth = OAuthClientProvider(
        server_url=url,
        client_metadata=OAuthClientMetadata(client_name="Agent in Python", redirect_uris=[redirect_uri]),
        storage=Memory(),
        redirect_handler=open_browser,
        callback_handler=answer,
    )
    async with (
        httpx2.AsyncClient(auth=auth, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
        client.listen(tools_list_changed=True) as changes,
    ):
        tell(tools=await names(client))
        result = await client.call_tool("viewer", {})
        tell(result=result.content[0].text)
        async for _ in changes:
            tell(tools=await names(client))


asyncio.run(main(sys.argv[1]))
