#include "report/style.hpp"

namespace sinkproof::report {

const std::string_view kStyle = R"css(
:root{color-scheme:light dark;--page:#fbfaf7;--card:#fff;--ink:#1c2024;--quiet:#5d646c;--line:#e3e0d8;
--good:#14693f;--good-back:#e4f3ea;--bad:#a3211d;--bad-back:#fbe6e4;--open:#7d5200;--open-back:#faefd8;
--idle:#4d555e;--idle-back:#eceef0;--proved:#1f5fa8;--attained:#c2571a;--implied:#7a4fa0;--sink:#c8281f;
--trigger:#c2571a;--empty:#eceae4}
@media (prefers-color-scheme:dark){:root{--page:#131518;--card:#1b1e22;--ink:#e6e4df;--quiet:#a0a6ad;
--line:#32363c;--good:#7fd6a5;--good-back:#16301f;--bad:#ff9c92;--bad-back:#3a1a18;--open:#f0c36d;
--open-back:#342810;--idle:#b6bdc5;--idle-back:#2a2e33;--proved:#7db4f2;--attained:#f39a5b;
--implied:#c3a0e6;--sink:#ff7d70;--trigger:#f39a5b;--empty:#2a2d32}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",
Roboto,"Helvetica Neue",Arial,sans-serif;-webkit-text-size-adjust:100%}
main,body>header,body>footer{max-width:1080px;margin:0 auto;padding:0 28px}
body>header{padding-top:56px}
h1{font-size:2rem;line-height:1.2;letter-spacing:-.02em;margin:0 0 16px;font-weight:650}
h2{font-size:1.4rem;letter-spacing:-.01em;margin:64px 0 8px;font-weight:650}
h3{font-size:1.1rem;margin:0 0 16px;font-weight:600;display:flex;gap:14px;align-items:center;
flex-wrap:wrap;overflow-wrap:anywhere}
h4{font-size:.95rem;margin:36px 0 8px;font-weight:600}
p{max-width:72ch;margin:0 0 12px}
code,.id,.formula{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;
font-size:.92em}
.quiet,.file{color:var(--quiet)}.quiet{font-size:.88rem}
.counts{display:flex;flex-wrap:wrap;gap:12px 40px;margin:28px 0 0;padding:0;list-style:none}
.counts strong{display:block;font-size:1.7rem;line-height:1.2;font-weight:600;
font-variant-numeric:tabular-nums}
.counts span{color:var(--quiet);font-size:.9rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:28px 30px;
margin:24px 0 40px}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.93rem}
th,td{text-align:left;vertical-align:top;padding:10px 18px 10px 0;border-top:1px solid var(--line)}
thead th{border-top:0;color:var(--quiet);font-weight:500;font-size:.85rem;padding-bottom:6px}
tbody th{font-weight:500}
th:last-child,td:last-child{padding-right:0}
.id{white-space:nowrap}sub{line-height:0}
.file{display:block;font-size:.84rem;font-weight:400;overflow-wrap:anywhere}
.num{font-variant-numeric:tabular-nums;white-space:nowrap}
.side{display:block;color:var(--quiet);font-size:.82rem}
.sign{width:14px;height:16px;vertical-align:-3px;margin-right:5px}
.claims{background:var(--card)}
.claims{border:1px solid var(--line);border-radius:12px;border-collapse:separate;border-spacing:0;
margin-top:20px}
.claims th,.claims td{padding:16px 20px}
.claims thead th{padding-bottom:4px}
.claims ul{margin:4px 0 0;padding-left:18px}
.claims th{min-width:112px}
.claims .words .rests{margin-bottom:2px;font-size:.88rem}
.claims td:first-child,.claims td:last-child{padding-right:20px}
.claims .words td{border-top:0;padding-top:0}
.claims .words p{max-width:80ch;margin:0 0 8px}
.claims .words ul{margin:0 0 8px;color:var(--quiet);font-size:.88rem}
.formula{overflow-wrap:anywhere}
.badge{display:inline-flex;align-items:center;gap:6px;padding:2px 11px 2px 7px;border-radius:99px;
font-size:.85rem;font-weight:600;white-space:nowrap}
.badge svg{width:14px;height:14px;fill:none;stroke:currentColor;stroke-width:1.6;stroke-linecap:round;
stroke-linejoin:round}
.good{color:var(--good);background:var(--good-back)}
.bad{color:var(--bad);background:var(--bad-back);border-radius:4px}
.open{color:var(--open);background:var(--open-back);border-radius:4px}
.idle{color:var(--idle);background:var(--idle-back)}
.chip{display:inline-flex;align-items:center;gap:8px;padding:1px 9px 1px 7px;border:1px solid;
border-radius:4px;font-size:.85rem;white-space:nowrap}
.chip svg{width:14px;height:14px;fill:none;stroke:currentColor;stroke-width:1.6;flex:none}
.chip .dash{stroke-dasharray:2 2}
.chip.necessary{color:var(--sink)}.chip.exactly{color:var(--proved)}.chip.limit{color:var(--implied)}
.interval{display:block;width:220px;height:38px;margin:-2px 0 4px -14px}
.interval text{font-size:10px}.interval .half{stroke-dasharray:2 4;stroke-width:2}
.variants th,.variants td{padding:14px 12px}.variants td:nth-child(3){min-width:180px}
.variants td:last-child{min-width:246px}
.variants code.file{font-size:.8rem}.variants .side{white-space:normal}
a,a.file{color:var(--proved)}.variants a.file{white-space:nowrap}
.facts{display:flex;flex-wrap:wrap;gap:10px 36px;margin:0 0 20px}
.facts dt{color:var(--quiet);font-size:.82rem}
.facts dd{margin:0;font-variant-numeric:tabular-nums}
.hash{display:inline-block;max-width:13ch;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;
vertical-align:bottom;user-select:all}
.hash:hover,.hash:focus{max-width:100%;white-space:normal;overflow-wrap:anywhere}
svg text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif;fill:var(--quiet)}
svg text.name{fill:var(--ink)}svg .sup{font-size:9px}
.plot{display:block;width:100%;max-width:1000px;height:auto;margin:4px 0 12px;overflow:visible}
.plot .num{font-variant-numeric:tabular-nums;fill:var(--ink)}
.chart{display:block;width:100%;height:auto;margin:4px 0 8px}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,340px),1fr));gap:12px 28px}
.of-sink{--of:var(--sink)}.of-sink-b{--of:var(--implied)}.of-diagonal{--of:var(--proved)}.of-plain{--of:var(--ink)}
.curve{fill:none;stroke:var(--of);stroke-width:1.6;stroke-linejoin:round}
.dashed{stroke-dasharray:7 4}.dotted{stroke-dasharray:1.5 3.5;stroke-linecap:round}
.mark{fill:var(--card);stroke:var(--of);stroke-width:1.6}.whisker{fill:none;stroke:var(--of);stroke-width:1.8}
.sign.long{width:30px}.found{margin:0 0 12px;padding-left:20px}.dense{width:auto}.dense th,.dense td{padding:5px 13px 5px 0;white-space:nowrap}
.scroll>.chart{min-width:640px}
.scroll+p{margin-top:10px}
.grid{stroke:var(--line);fill:none}
.span{stroke:var(--ink);stroke-width:3;fill:none}
.link{stroke:var(--quiet);stroke-width:1;stroke-dasharray:3 3;fill:none}
.proved{stroke:var(--proved);stroke-width:2.4;fill:none}
.attained{fill:var(--attained)}
.implied{fill:none;stroke:var(--implied);stroke-width:1.8}
.key{display:flex;flex-wrap:wrap;gap:6px 26px;color:var(--quiet);font-size:.88rem;max-width:none}
.key .box{display:inline-block;width:13px;height:13px;margin-right:7px;vertical-align:-2px}
.box.sink{border:2px solid var(--sink)}.box.trigger{border:2px dashed var(--trigger)}
.legend{display:block;max-width:100%;height:auto;margin:14px 0 10px}
.legend .tick{stroke:var(--quiet)}
.maps{display:grid;grid-template-columns:repeat(auto-fill,minmax(280px,1fr));gap:28px;margin-top:20px}
.map{margin:0;border-radius:8px;padding:6px}
.map:focus-visible,.hash:focus-visible{outline:2px solid var(--proved);outline-offset:2px}
.map svg,dialog svg{display:block;width:100%;height:auto}
.map svg text,dialog svg text{font-size:7px}
.map figcaption,dialog figcaption{font-size:.88rem;line-height:1.5;color:var(--quiet)}
figcaption strong{color:var(--ink);font-weight:600}
.tag{border:1px solid var(--line);border-radius:4px;padding:0 6px;font-size:.78rem;margin-left:4px}
.fine path{shape-rendering:crispEdges}.fine path.witness{shape-rendering:auto}
.z{fill:var(--empty);stroke:var(--quiet);stroke-width:.4;stroke-dasharray:1 1.4}
.minus{fill:none;stroke:#111;stroke-width:2.2;pointer-events:none}.minus.in{stroke:#fff;stroke-width:1}
svg.fine .minus{stroke-width:1.2}svg.fine .minus.in{stroke-width:.5}
rect.sink{fill:none;stroke:var(--sink);stroke-width:1.4}
rect.trigger{fill:none;stroke:var(--trigger);stroke-width:1.1;stroke-dasharray:3 1.6}
svg.fine rect.sink,svg.fine rect.trigger{stroke-width:.6;stroke-dasharray:none}svg.fine rect.trigger{stroke-dasharray:2 1}
path.witness{fill:var(--ink)}
path.gap{stroke:var(--ink);stroke-width:1;stroke-dasharray:1.5 1.5;fill:none}
.enlarge{display:none}.js .enlarge{display:inline}.js .map{cursor:zoom-in}
dialog{width:min(94vw,94vh);max-width:none;max-height:96vh;border:1px solid var(--line);
border-radius:12px;background:var(--card);color:var(--ink);padding:20px}
dialog::backdrop{background:rgba(0,0,0,.55)}
dialog svg{max-height:78vh}dialog svg text{font-size:5.5px}
dialog form{text-align:right;margin:0}
dialog button{font:inherit;color:inherit;background:none;border:1px solid var(--line);border-radius:8px;
padding:4px 16px;cursor:pointer}
body>footer{margin-top:72px;padding-bottom:72px}
pre{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:14px 18px;
overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere;font-size:.88rem;line-height:1.6;
font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
@media (max-width:640px){main,body>header,body>footer{padding-left:16px;padding-right:16px}
.card{padding:20px 16px}}
@media print{:root{color-scheme:light;--page:#fff;--card:#fff;--ink:#000;--quiet:#444;--line:#bbb;
--good:#14693f;--good-back:#fff;--bad:#a3211d;--bad-back:#fff;--open:#7d5200;--open-back:#fff;
--idle:#444;--idle-back:#fff;--proved:#1f5fa8;--attained:#c2571a;--implied:#7a4fa0;--sink:#c8281f;
--trigger:#c2571a;--empty:#eee}
body{font-size:10.5pt}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
.card{border:0;padding:0}.scroll{overflow:visible}tr,figure,.plot{break-inside:avoid}
h2,h3,h4{break-after:avoid}.hash{max-width:none;white-space:normal;overflow-wrap:anywhere}
tr.words{break-inside:auto}.claims tr:first-child{break-after:avoid}.claims th,.claims td{padding:10px 12px}
.badge{border:1px solid}.js .enlarge{display:none}
.maps{grid-template-columns:repeat(2,1fr)}body>header{padding-top:0}}
)css";

const std::string_view kScript = R"js(
(function () {
  var dialog = document.getElementById("large");
  if (!dialog || !dialog.showModal) return;
  document.documentElement.className = "js";
  var place = dialog.firstElementChild;
  function enlarge(figure) {
    place.textContent = "";
    Array.prototype.forEach.call(figure.childNodes, function (child) {
      place.appendChild(child.cloneNode(true));
    });
    dialog.showModal();
  }
  Array.prototype.forEach.call(document.querySelectorAll(".map"), function (figure) {
    figure.setAttribute("aria-haspopup", "dialog");
    figure.addEventListener("click", function () { enlarge(figure); });
    figure.addEventListener("keydown", function (event) {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      enlarge(figure);
    });
  });
  dialog.addEventListener("click", function (event) {
    if (event.target === dialog) dialog.close();
  });
})();
)js";

}  // namespace sinkproof::report
