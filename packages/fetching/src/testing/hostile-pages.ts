/** Pages that try to reach a target in every way a browser has. `at(kind)` gives the URL to try for one kind. */
export type TargetUrl = (kind: string) => string;

/** Apart, so that no tool takes the page's script for an import of this file. */
const DYNAMIC_IMPORT = 'import';

/** All ways that don't navigate away, in one document; `window.tried` counts the attempts that started. */
export function subresourcePage(at: TargetUrl, { host, port }: { host: string; port: number }): string {
  return `<!doctype html>
<html><head><title>hostile</title>
<link rel="stylesheet" href="${at('stylesheet')}">
<link rel="preload" as="script" href="${at('preload')}">
<link rel="prefetch" href="${at('prefetch')}">
<link rel="preconnect" href="http://${host}:${port}">
<link rel="dns-prefetch" href="http://${host}:${port}">
<link rel="modulepreload" href="${at('modulepreload')}">
<link rel="icon" href="${at('icon')}">
<link rel="manifest" href="${at('manifest')}">
<script type="speculationrules">{"prefetch":[{"source":"list","urls":["${at('speculation')}"]}],"prerender":[{"source":"list","urls":["${at('prerender')}"]}]}</script>
<style>
@import url("${at('css-import')}");
@font-face { font-family: hostile; src: url("${at('font')}"); }
body { font-family: hostile; background: url("${at('background')}"); cursor: url("${at('cursor')}"), auto; }
</style></head><body>text
<img src="${at('img')}"><img srcset="${at('srcset')} 2x"><picture><source srcset="${at('picture')}"><img></picture>
<video src="${at('video')}" poster="${at('poster')}" autoplay></video><audio src="${at('audio')}" autoplay></audio>
<track src="${at('track')}"><embed src="${at('embed')}"><object data="${at('object')}"></object>
<iframe src="${at('iframe')}"></iframe><iframe srcdoc='<img src="${at('srcdoc')}">'></iframe>
<iframe src="data:text/html,<img src='${at('data-iframe')}'>"></iframe><iframe src="file:///etc/passwd"></iframe>
<iframe sandbox="allow-scripts" src="data:text/html,<script>fetch('${at('opaque-fetch')}',{mode:'no-cors'})</script>"></iframe>
<svg><image href="${at('svg-image')}"/><use href="${at('svg-use')}#x"/></svg>
<form id="form" method="post" action="${at('form')}" target="frame"><input name="a" value="b"></form><iframe name="frame"></iframe>
<a id="ping" href="#" ping="${at('ping')}">ping</a>
<script src="${at('script')}"></script><script type="module" src="${at('module')}"></script>
<script>
window.tried = 0;
const attempt = (begin) => { try { begin(); } catch (error) {} window.tried += 1; };
attempt(() => fetch("${at('fetch')}", { mode: 'no-cors' }).catch(() => {}));
attempt(() => fetch("${at('fetch-post')}", { method: 'POST', mode: 'no-cors', body: 'x', keepalive: true }).catch(() => {}));
attempt(() => { const request = new XMLHttpRequest(); request.open('GET', "${at('xhr')}"); request.send(); });
attempt(() => new EventSource("${at('event-source')}"));
attempt(() => new WebSocket("ws://${host}:${port}/websocket"));
attempt(() => new WebSocket("wss://${host}:${port}/websocket-tls"));
attempt(() => navigator.sendBeacon("${at('beacon')}", 'x'));
attempt(() => { const image = new Image(); image.src = "${at('image-object')}"; });
attempt(() => new Worker(URL.createObjectURL(new Blob(["fetch('${at('worker-fetch')}',{mode:'no-cors'}); importScripts('${at('worker-import')}')"]))));
attempt(() => new Worker("${at('worker')}"));
attempt(() => new SharedWorker(URL.createObjectURL(new Blob(["fetch('${at('shared-worker-fetch')}',{mode:'no-cors'}); new WebSocket('ws://${host}:${port}/shared-worker-socket')"]))));
attempt(() => new SharedWorker("${at('shared-worker')}"));
attempt(() => navigator.serviceWorker.register("/service-worker.js").catch(() => {}));
attempt(() => window.open("${at('window-open')}"));
attempt(() => window.open("${at('window-open-noopener')}", '_blank', 'noopener'));
attempt(() => document.getElementById('form').submit());
attempt(() => document.getElementById('ping').click());
attempt(() => ${DYNAMIC_IMPORT}("${at('dynamic-import')}").catch(() => {}));
attempt(() => CSS.paintWorklet && CSS.paintWorklet.addModule("${at('worklet')}"));
attempt(() => new FontFace('x', "url(${at('font-face')})").load().catch(() => {}));
attempt(() => { const context = new AudioContext(); context.audioWorklet.addModule("${at('audio-worklet')}").catch(() => {}); });
attempt(() => {
  for (const urls of ['stun:${host}:${port}', 'turn:${host}:${port}?transport=udp', 'turn:${host}:${port}?transport=tcp', 'turns:${host}:${port}']) {
    const connection = new RTCPeerConnection({ iceServers: [{ urls, username: 'a', credential: 'b' }] });
    connection.createDataChannel('x');
    connection.createOffer().then((offer) => connection.setLocalDescription(offer));
    connection.addIceCandidate({ candidate: 'candidate:1 1 udp 2122260223 ${host} ${port} typ host', sdpMid: '0', sdpMLineIndex: 0 }).catch(() => {});
  }
});
attempt(() => { const transport = new WebTransport("https://${host}:${port}/webtransport"); transport.ready.catch(() => {}); transport.closed.catch(() => {}); });
attempt(() => navigator.mediaDevices && navigator.mediaDevices.getUserMedia({ audio: true }).catch(() => {}));
attempt(() => navigator.geolocation.getCurrentPosition(() => {}, () => {}));
</script><script>document.body.append(Object.assign(document.createElement('p'), { id: 'tried', textContent: String(window.tried) }));</script>
</body></html>`;
}

/** Ways in which a page navigates to another: each needs its own document. */
export const NAVIGATIONS: Readonly<Record<string, (url: string) => string>> = {
  'meta refresh': (url) => `<meta http-equiv="refresh" content="0;url=${url}">text`,
  'location.href': (url) => `text<script>location.href = ${JSON.stringify(url)}</script>`,
  'location.replace': (url) =>
    `text<script>setTimeout(() => location.replace(${JSON.stringify(url)}), 50)</script>`,
  'form get': (url) =>
    `<form id="f" action="${url}"></form><script>document.getElementById('f').submit()</script>`,
  'form post': (url) =>
    `<form id="f" method="post" action="${url}"><input name="a"></form><script>document.getElementById('f').submit()</script>`,
  'link click': (url) => `<a id="a" href="${url}">x</a><script>document.getElementById('a').click()</script>`,
  'top frame': (url) => `<iframe srcdoc="<script>parent.location.href='${url}'</script>"></iframe>`,
  'blob url': (url) =>
    `text<script>location.href = URL.createObjectURL(new Blob(["<img src='${url}'><script>fetch('${url}',{mode:'no-cors'})<\\/script>"], { type: 'text/html' }))</script>`,
};
