/* SPDX-License-Identifier: MIT */
/* Common parts of the HTML pages. */
#include "report/report.h"

static const char *const style[] = {
    ":root{color-scheme:light "
    "dark;--w1:#fbe3d2;--w2:#f6bd94;--w3:#e98a4a;--w4:#b84a00;--b1:#d9e9f5;--b2:#a5cde8;--b3:#5b9fd0;--b4:#0f5a94;--"
    "on3:#000;--on4:#fff;"
    "--page:#fff;--panel:#fff;--ink:#1b1f24;--soft:#57606a;--rule:#d0d7de;--grid:#eaeef2;"
    "--band:#f6f8fa;--link:#0a58a8;--bad:#b3261e;--s0:#0072b2;--s1:#d55e00;--s2:#00805d;--s3:#b0568c;--s4:#a66f00;"
    "--s5:#2f87bd;--s6:#5c6570;--s7:#857a00;--q0:#f1f3f5;--q1:#dbe9f4;--q2:#b9d5ea;--q3:#8dbbdc;--q4:#5b9bc8;"
    "--q5:#2c77ad;--q6:#0f5288;--q7:#082f52}",
    "@media screen and "
    "(prefers-color-scheme:dark){:root{--w1:#4a2f1c;--w2:#7d4318;--w3:#c2611a;--w4:#ff9d5c;--b1:#1b3650;--b2:#"
    "1f5a8c;--b3:#3d8ecb;--b4:#8fd0ff;--on3:#000;--on4:#000;"
    "--page:#0f1419;--panel:#0f1419;--ink:#e6e9ed;--soft:#9aa5b1;"
    "--rule:#343c46;--grid:#222931;--band:#171d24;--link:#6cb6ff;--bad:#ff8a80;--s0:#56b4e9;--s1:#f08a4b;--s2:#2bbd92;"
    "--s3:#d993bb;--s4:#e69f00;--s5:#4f8fd6;--s6:#aab4bf;--s7:#e6d94a;--q0:#1a2027;--q1:#15324a;--q2:#17496d;"
    "--q3:#1c6696;--q4:#2f86bd;--q5:#5aa9d8;--q6:#93cbeb;--q7:#d3ecfa}}",
    "*{box-sizing:border-box}body{margin:0;background:var(--page);color:var(--ink);font:14px/1.5 "
    "system-ui,-apple-system,"
    "'Segoe UI',Roboto,'Noto Sans','DejaVu Sans',sans-serif;font-variant-numeric:tabular-nums}"
    "main{max-width:1560px;margin:0 auto;padding:20px 20px 60px}a{color:var(--link)}"
    "h1{font-size:24px;line-height:1.25;margin:0 0 2px;overflow-wrap:anywhere}h2{font-size:19px;margin:34px 0 4px;"
    "padding-top:14px;border-top:1px solid var(--rule)}h3{font-size:15px;margin:22px 0 2px}"
    "p{margin:4px 0 8px;max-width:84ch;overflow-wrap:anywhere}.soft,small{color:var(--soft)}small{font-size:12px}",
    "nav{margin:10px 0 0;display:flex;flex-wrap:wrap;gap:4px 16px;font-size:13px}nav a{text-decoration:none}"
    "nav a:hover{text-decoration:underline}"
    ".runs{list-style:none;padding:0;margin:10px 0 0;display:flex;flex-wrap:wrap;gap:4px 20px;font-size:13px}"
    ".key{display:inline-block;width:10px;height:10px;border-radius:2px;background:currentColor;margin-right:6px}"
    ".legend{display:flex;flex-wrap:wrap;gap:0 12px;font-size:12px;color:var(--soft)}.legend span{white-space:nowrap}",
    ".tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,200px),1fr));gap:14px 22px;margin:18px "
    "0}"
    ".tiles div{border-top:2px solid var(--rule);padding-top:6px;overflow-wrap:anywhere}.tiles b{display:block;"
    "font-size:21px;font-weight:600;line-height:1.3;letter-spacing:-.01em}.tiles span{display:block;font-size:13px}"
    ".tiles small{display:block;line-height:1.4}"
    ".say{padding-left:18px;margin:8px 0;max-width:110ch;overflow-wrap:anywhere}.say "
    "li{margin:3px 0}",
    ".scroll{overflow-x:auto;margin:10px 0}table{border-collapse:collapse;font-size:13px;line-height:1.4}"
    "th,td{padding:3px 14px 3px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--grid)}"
    "th{color:var(--soft);font-weight:500}thead th{border-bottom-color:var(--rule);vertical-align:bottom}"
    "td.n,th.n{text-align:right;white-space:nowrap}td.w{min-width:26ch;max-width:46ch;overflow-wrap:anywhere}"
    "td.w~td.w{min-width:5ch}"
    "tbody tr:hover{background:var(--band)}",
    ".rows{font-size:12px}.rows th,.rows td{padding-right:5px}.rows tr:not(.more) td{white-space:nowrap}"
    ".rows tr td.w{min-width:10ch;white-space:normal}",
    ".more td{max-width:0;padding-left:2em;white-space:normal;color:var(--soft);overflow-wrap:anywhere}",
    "@media screen and (max-width:1079px){.rows,.rows tbody{display:block}.rows thead{display:none}"
    ".rows tr{display:flex;flex-wrap:wrap;gap:0 14px}.rows td{display:block;padding:0;border:0}"
    ".rows tr td.w,.rows .more td{max-width:none;flex:1 0 100%}.rows td.w:empty{display:none}"
    ".rows td[data-t]:before{content:attr(data-t) ' ';color:var(--soft)}}",
    ".bad{color:var(--bad);font-weight:500}details{margin:12px 0}"
    "summary{cursor:pointer;color:var(--link);font-size:13px}",
    ".heat{font-size:11px;line-height:18px}.heat th,.heat td{padding:0;border:1px solid var(--page)}"
    ".heat th:first-child{position:sticky;left:0;z-index:1;background:var(--page);padding-right:10px;max-width:140px;"
    "overflow:hidden;text-overflow:ellipsis;white-space:nowrap}.heat thead th{font-weight:400;vertical-align:bottom}"
    ".heat thead span{display:block;writing-mode:vertical-rl;transform:rotate(180deg);max-height:230px;overflow:hidden;"
    "text-overflow:ellipsis;white-space:nowrap;padding:4px 0;margin:0 auto}"
    ".heat td{min-width:20px;height:19px;text-align:center;background:var(--q0)}.heat .g{border-left:7px solid "
    "var(--page)}.heat td.x{background:none}.heat .far{font-weight:600}.heat tbody tr.out th{color:var(--ink);"
    "font-weight:600}.heat tbody tr:hover{background:none}",
};
static const char *const style_of_charts[] = {
    ".grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,340px),1fr));gap:18px 26px;"
    "margin:12px "
    "0}figure{margin:0;min-width:0;max-width:520px}figcaption{font-weight:600;font-size:13px;line-height:1.35;"
    "margin-bottom:4px;overflow-wrap:anywhere}figcaption small{display:block;font-weight:400}"
    "svg{display:block;width:100%;height:auto;overflow:visible}"
    "svg text{font-size:11px;fill:var(--soft);stroke:none}svg .ink{fill:var(--ink)}svg .name{fill:var(--soft)}"
    "path{fill:none;stroke:currentColor;stroke-width:1.2;stroke-linejoin:round}rect,circle{fill:currentColor}",
    "path.grid{stroke:var(--grid);stroke-width:1}path.base{stroke:var(--rule);stroke-width:1}"
    "path.dots{stroke-width:2.2;stroke-linecap:round;stroke-opacity:.75}path.area{fill:currentColor;fill-opacity:.14}"
    "path.thin{stroke-width:1}path.bold{stroke-width:2.4}rect.soft{fill-opacity:.35}circle.faint{fill-opacity:.4}rect."
    "hit{fill-opacity:0}"
    "circle.mark{stroke:var(--page);stroke-width:1.2}rect.mark{fill:var(--ink)}path.whisker{stroke:var(--ink);"
    "stroke-width:1.1}",
};
static const char *const style_of_print[] = {
    "@media print{@page{margin:12mm}:root{color-scheme:light;--ink:#000;--soft:#444;--rule:#bbb;--grid:#ddd;"
    "--band:#fff;--link:#000;--bad:#a00}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}"
    "body{font-size:10pt}main{padding:0;max-width:none}nav,details:not([open]){display:none}.grid{"
    "grid-template-columns:repeat(2,1fr)}figure,tr,.tiles div{break-inside:avoid}h2,h3{break-after:avoid}"
    ".scroll{overflow:visible}table{font-size:8.5pt}th,td{padding-right:8px}td.n,th.n,.rows td"
    "{white-space:normal}}",
};

static void put_css(const char *const *lines, size_t n, struct text *out)
{
    for (size_t i = 0; i < n; i++)
        text_printf(out, "%s\n", lines[i]);
}

/* A rule for each of the colours first to last of two kinds. */
static void put_rules(const char *selector, const char *kinds, char first, char last, struct text *out)
{
    for (; *kinds; kinds++)
        for (char c = first; c <= last; c++)
            text_printf(out, "%s%c%c{color:var(--%c%c)}", selector, *kinds, c, *kinds, c);
}

void html_begin(struct text *out, const char *title)
{
    html_put(out,
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src "
             "'unsafe-inline'\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<link rel=\"icon\" href=\"data:,\">\n<title>%s</title>\n<style>\n",
             title);
    put_css(style, COUNT(style), out);
    for (const char *kind = "wb"; *kind; kind++)
        for (char c = '1'; c <= '4'; c++)
            text_printf(out,
                        c < '3' ? ".heat .%c%c{background:var(--%c%c)}"
                                : ".heat .%c%c{background:var(--%c%c);color:var(--on%c)}",
                        *kind, c, *kind, c, c);
    put_rules(".key.", "wb", '1', '4', out);
    text_printf(out, "\n");
    put_css(style_of_charts, COUNT(style_of_charts), out);
    put_rules(".", "sq", '0', '7', out);
    text_printf(out, "\n");
    put_css(style_of_print, COUNT(style_of_print), out);
    text_printf(out, "</style>\n</head>\n<body>\n<main>\n");
}
