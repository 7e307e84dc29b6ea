// No policy takes WebRTC from a document, and it reaches any address. The scripts of the page have not run yet.
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) Reflect.deleteProperty(globalThis, name);

export {};
