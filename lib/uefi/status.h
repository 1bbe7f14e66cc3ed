/* SPDX-License-Identifier: MIT */
/*
 * status.h — the status codes of the UEFI runtime services (UEFI 2.10 appendix D), and Linux's
 * errno for each as its efivarfs gives them.
 */
#pragma once

enum uefi_status {
	UEFI_SUCCESS = 0,
	UEFI_INVALID_PARAMETER = 2,
	UEFI_UNSUPPORTED = 3,
	UEFI_BUFFER_TOO_SMALL = 5,
	UEFI_DEVICE_ERROR = 7,
	UEFI_WRITE_PROTECTED = 8,
	UEFI_OUT_OF_RESOURCES = 9,
	UEFI_VOLUME_CORRUPTED = 10,
	UEFI_NOT_FOUND = 14,
	UEFI_ACCESS_DENIED = 15,
	UEFI_ABORTED = 21,
	UEFI_SECURITY_VIOLATION = 26,
};

/* 0 or a negative errno; what has no errno of its own is -EINVAL. */
int uefi_status_errno(enum uefi_status status);

/* "EFI_NOT_FOUND" and so on; static. */
const char *uefi_status_name(enum uefi_status status);
