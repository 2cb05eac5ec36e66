#!/usr/bin/env bats
# Chromium in a box: it is the engine of all Electron programs, and demands more of a box than other programs with windows.

load ../lib/box.bash
load desktop.bash
setup() {
    windows_setup
    echo '<script>document.title = "six times seven is " + 6 * 7</script>' >"$PROJECT/page.html"
}
teardown() { windows_teardown; }

# opens [OPTION…]: Chromium opens a window, runs the page's script, and ends when the window is closed.
opens() {
    timeout 150 box run -- chromium --ozone-platform=wayland --no-first-run "$@" "file://$PROJECT/page.html" \
        >"$TEST_HOME/chromium.log" 2>&1 3>&- 4>&- &
    eventually --within 100 has_window "six times seven is 42" || fail "$(cat "$TEST_HOME/chromium.log")"
    swaymsg '[title="six times seven"] kill'
    wait $!
}

@test "chromium: opens a page without its own sandbox, for which a box has no namespaces" {
    configure '[desktop]\nwayland = "plain"'
    opens --no-sandbox
}

@test "chromium: opens a page with its own sandbox in a nested box" {
    configure '[desktop]\nwayland = "plain"\n[security]\nnested = true'
    opens
}
